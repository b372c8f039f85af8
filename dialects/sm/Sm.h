// The sm dialect: include this header, no other of the folder.
#pragma once

#include "dialects/tile/Tile.h"

#include "dialects/sm/SmDialect.h.inc"
#include "dialects/sm/SmEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/sm/SmAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/sm/SmTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/sm/SmOps.h.inc"
