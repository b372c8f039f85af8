// Everything a host program needs to compile and run kernels.
#pragma once

#include "tlc/Array.h"
#include "tlc/Device.h"
#include "tlc/Error.h"
#include "tlc/Jit.h"
#include "tlc/Kernel.h"
#include "tlc/Tensor.h"
#include "tlc/Timing.h"
