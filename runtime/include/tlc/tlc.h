// Everything a host program needs to run kernels compiled by tlc.
#pragma once

#include "tlc/Error.h"
#include "tlc/Kernel.h"
#include "tlc/Tensor.h"
