# tlc_library(<name> SOURCES ... [DEPENDS targets...] [LINK targets...] [LLVM|MLIR])
#
# A static library `tlc_<name>` with alias `tlc::<name>`, compiled with our
# warnings and the repository root as its one include root.
#   MLIR     uses MLIR: gets its headers and the shared precompiled header
#   LLVM     uses LLVM only
#   DEPENDS  targets that must be built first (tablegen output)
#   LINK     libraries it uses, passed on to who links it
set(TLC_WARNINGS -Wall -Wextra -Wno-unused-parameter)
if(TLC_WERROR)
  list(APPEND TLC_WARNINGS -Werror)
endif()

# Interface targets that bring LLVM and MLIR: the two shared libraries in dev, the
# archives in release. Never both in one binary: options would register twice.
# Debian's exported archive targets name the shared LLVM and libz3, so release
# names the files; only the members that are used are linked.
add_library(tlc_llvm INTERFACE)
target_include_directories(tlc_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
add_library(tlc_mlir INTERFACE)
target_include_directories(tlc_mlir SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
if(TLC_STATIC)
  file(GLOB llvm_archives "${LLVM_LIBRARY_DIRS}/libLLVM*.a")
  file(GLOB mlir_archives "${LLVM_LIBRARY_DIRS}/libMLIR*.a")
  list(FILTER mlir_archives EXCLUDE REGEX "MLIRCAPI|ExecutionEngine")
  if(NOT mlir_archives)
    message(FATAL_ERROR "no libMLIR*.a in ${LLVM_LIBRARY_DIRS}: "
      "the release preset needs MLIR's static libraries")
  endif()
  # Linker scripts keep 600 names out of the command line.
  set(llvm_script "${PROJECT_BINARY_DIR}/llvm-archives.ld")
  set(mlir_script "${PROJECT_BINARY_DIR}/mlir-archives.ld")
  list(JOIN llvm_archives "\n" llvm_list)
  list(JOIN mlir_archives "\n" mlir_list)
  file(CONFIGURE OUTPUT "${llvm_script}" CONTENT "GROUP(\n${llvm_list}\n)\n")
  file(CONFIGURE OUTPUT "${mlir_script}"
    CONTENT "GROUP(\n${mlir_list}\n${llvm_list}\n)\n")
  target_link_libraries(tlc_llvm INTERFACE "${llvm_script}" ${TLC_STATIC_DEPS})
  target_link_libraries(tlc_mlir INTERFACE "${mlir_script}" ${TLC_STATIC_DEPS})
else()
  target_link_libraries(tlc_llvm INTERFACE LLVM)
  target_link_libraries(tlc_mlir INTERFACE MLIR LLVM)
endif()

# target_link_libraries, and for release: fmt's headers alone, since Debian ships
# no libfmt.a, and the C++ runtime inside executables.
function(tlc_link target scope)
  if(TLC_STATIC)
    list(TRANSFORM ARGN REPLACE "^fmt::fmt$" "fmt::fmt-header-only")
  endif()
  target_link_libraries(${target} ${scope} ${ARGN})
  get_target_property(type ${target} TYPE)
  if(TLC_STATIC AND type STREQUAL "EXECUTABLE")
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

function(tlc_target_defaults target)
  target_compile_options(${target} PRIVATE ${TLC_WARNINGS})
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>")
endfunction()

# One precompiled header for all MLIR-heavy libraries, compiled once.
function(tlc_use_mlir_pch target)
  if(NOT TARGET tlc_mlir_pch)
    file(WRITE "${PROJECT_BINARY_DIR}/pch.cpp.in" "")
    configure_file("${PROJECT_BINARY_DIR}/pch.cpp.in"
      "${PROJECT_BINARY_DIR}/pch.cpp" COPYONLY)
    add_library(tlc_mlir_pch OBJECT "${PROJECT_BINARY_DIR}/pch.cpp")
    target_link_libraries(tlc_mlir_pch PRIVATE tlc_mlir)
    tlc_target_defaults(tlc_mlir_pch)
    target_precompile_headers(tlc_mlir_pch PRIVATE
      "${PROJECT_SOURCE_DIR}/tools/cmake/MlirPch.h")
  endif()
  # The header was compiled as PIC; an executable's -fPIE would not match it.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM tlc_mlir_pch)
endfunction()

function(tlc_library name)
  cmake_parse_arguments(ARG "MLIR;LLVM" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  set(target tlc_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(tlc::${name} ALIAS ${target})
  tlc_target_defaults(${target})
  if(ARG_MLIR)
    add_dependencies(${target} tlc_generated)
    target_link_libraries(${target} PUBLIC tlc_mlir)
    tlc_use_mlir_pch(${target})
  elseif(ARG_LLVM)
    target_link_libraries(${target} PUBLIC tlc_llvm)
  endif()
  if(ARG_LINK)
    tlc_link(${target} PUBLIC ${ARG_LINK})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
endfunction()

# tlc_executable(<name> SOURCES ... LINK ... [MLIR|LLVM])
function(tlc_executable name)
  cmake_parse_arguments(ARG "MLIR;LLVM" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  tlc_target_defaults(${name})
  if(ARG_MLIR)
    add_dependencies(${name} tlc_generated)
    tlc_use_mlir_pch(${name})
  endif()
  tlc_link(${name} PRIVATE ${ARG_LINK})
endfunction()

# tlc_add_folders(): adds each folder beside the caller's list that has a
# CMakeLists.txt. Target names may be used before they are defined, so the order
# does not matter.
function(tlc_add_folders)
  file(GLOB lists CONFIGURE_DEPENDS
    RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" */CMakeLists.txt)
  foreach(list IN LISTS lists)
    get_filename_component(folder "${list}" DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()
