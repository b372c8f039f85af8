# tlc_unit_test(<Name> SOURCES ... LINK ... [MLIR|LLVM])
#
# A Catch2 executable `<Name>Test`, one ctest for each test case.
function(tlc_unit_test name)
  cmake_parse_arguments(ARG "MLIR;LLVM" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name}Test ${ARG_SOURCES})
  tlc_target_defaults(${name}Test)
  if(ARG_MLIR)
    tlc_use_mlir_pch(${name}Test)
  endif()
  tlc_link(${name}Test PRIVATE Catch2::Catch2WithMain ${ARG_LINK})
  catch_discover_tests(${name}Test TEST_PREFIX "unit.${name}: ")
endfunction()
