// libtlc.so is made of the archives of runtime/jit and runtime/core; a library
// target wants a source of its own.
#include "tlc/tlc.h"
