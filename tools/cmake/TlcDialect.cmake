# Everything that is generated from .td files. Each library waits for all of it, so
# that an include from another folder never comes too early.
add_custom_target(tlc_generated)
macro(tlc_add_generated target)
  add_public_tablegen_target(${target})
  add_dependencies(tlc_generated ${target})
endmacro()

# tlc_dialect(<name> <Prefix> [TABLES file.td ...])
#
# Generates <Prefix>Dialect, Types, Attrs, Enums and Ops .inc files from
# <Prefix>Ops.td (which includes the rest; enums from <Prefix>Enums.td) into the build tree beside the
# source folder's path, as target tlc_<name>_gen.
# Where .td files find each other: the repository root and MLIR.
set(TLC_TD_INCLUDES EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}" ${MLIR_INCLUDE_DIRS})

function(tlc_dialect name prefix)
  set(LLVM_TARGET_DEFINITIONS ${prefix}Ops.td)
  mlir_tablegen(${prefix}Dialect.h.inc -gen-dialect-decls -dialect=${name} ${TLC_TD_INCLUDES})
  mlir_tablegen(${prefix}Dialect.cpp.inc -gen-dialect-defs -dialect=${name} ${TLC_TD_INCLUDES})
  mlir_tablegen(${prefix}Types.h.inc -gen-typedef-decls -typedefs-dialect=${name} ${TLC_TD_INCLUDES})
  mlir_tablegen(${prefix}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${name} ${TLC_TD_INCLUDES})
  mlir_tablegen(${prefix}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${name} ${TLC_TD_INCLUDES})
  mlir_tablegen(${prefix}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${name} ${TLC_TD_INCLUDES})
  mlir_tablegen(${prefix}Ops.h.inc -gen-op-decls ${TLC_TD_INCLUDES})
  mlir_tablegen(${prefix}Ops.cpp.inc -gen-op-defs ${TLC_TD_INCLUDES})
  set(LLVM_TARGET_DEFINITIONS ${prefix}Enums.td)
  mlir_tablegen(${prefix}Enums.h.inc -gen-enum-decls ${TLC_TD_INCLUDES})
  mlir_tablegen(${prefix}Enums.cpp.inc -gen-enum-defs ${TLC_TD_INCLUDES})
  tlc_add_generated(tlc_${name}_gen)
endfunction()

# tlc_interfaces(<name> <File.td>): op interface declarations and definitions.
function(tlc_interfaces name file)
  set(LLVM_TARGET_DEFINITIONS ${file}.td)
  mlir_tablegen(${file}.h.inc -gen-op-interface-decls ${TLC_TD_INCLUDES})
  mlir_tablegen(${file}.cpp.inc -gen-op-interface-defs ${TLC_TD_INCLUDES})
  tlc_add_generated(tlc_${name}_gen)
endfunction()

# tlc_passes(<name> <File.td> <group>): pass declarations.
function(tlc_passes name file group)
  set(LLVM_TARGET_DEFINITIONS ${file}.td)
  mlir_tablegen(${file}.h.inc -gen-pass-decls -name ${group} ${TLC_TD_INCLUDES})
  tlc_add_generated(tlc_${name}_gen)
endfunction()
