// The ws dialect: include this header, no other of the folder.
#pragma once

#include "dialects/tile/Tile.h"

#include "dialects/ws/WSDialect.h.inc"
#include "dialects/ws/WSEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/ws/WSAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/ws/WSTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/ws/WSOps.h.inc"
