# Installs the build, then builds and runs programs against what was installed:
# the README's host program word for word, one for each way to link, and all
# headers under strict warnings. Then the README's program again, against the
# unpacked .deb. Called by ctest:
#   cmake -DSOURCE=... -DBUILD=... -DWORK=... -DCXX=... -P Run.cmake
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/Extract.cmake")

function(run name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${name} failed (${code}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect name pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "${name} printed\n${output}\nexpected ${pattern}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/readme")
set(prefix "${WORK}/prefix")
set(ENV{TLC_DEVICE} virtual)
set(ENV{TLC_CACHE_DIR} "${WORK}/cache")

run("installing" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

# The README's program.
tlc_extract_program("${SOURCE}/README.md" "${WORK}/readme")
run("configuring the README's program" "${CMAKE_COMMAND}" -G Ninja
  -S "${WORK}/readme" -B "${WORK}/readme/build" "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_PREFIX_PATH=${prefix}")
run("building the README's program" "${CMAKE_COMMAND}" --build
  "${WORK}/readme/build")
run("the README's program" "${CMAKE_COMMAND}" -E chdir "${WORK}/readme"
  "${WORK}/readme/build/host")
expect("the README's program" "^1 3 5 7 9 on virtual SM")

# Both targets, headers under warnings; once more with g++ if there is one.
find_program(GXX NAMES g++-12 g++)
foreach(compiler IN ITEMS "${CXX}" "${GXX}")
  if(NOT compiler)
    continue()
  endif()
  get_filename_component(name "${compiler}" NAME)
  run("configuring the consumer with ${name}" "${CMAKE_COMMAND}" -G Ninja
    -S "${SOURCE}/test/package/consumer" -B "${WORK}/consumer-${name}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_PREFIX_PATH=${prefix}")
  run("building the consumer with ${name}" "${CMAKE_COMMAND}" --build
    "${WORK}/consumer-${name}")
  run("the program that compiles" "${WORK}/consumer-${name}/compiles")
  expect("the program that compiles" "8 sevens")
  run("the program without a compiler" "${WORK}/consumer-${name}/loads")
  expect("the program without a compiler" "cannot read cubin 'none.cubin'")
endforeach()

# pkg-config, and the installed tlc.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE description "${prefix}/*/tlc.pc")
  get_filename_component(folder "${description}" DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} "${folder}")
  run("pkg-config" "${PKG_CONFIG}" --cflags --libs --static tlc)
  separate_arguments(flags UNIX_COMMAND "${output}")
  get_filename_component(library "${folder}" DIRECTORY)
  run("building by pkg-config" "${CXX}" -std=c++20
    "${WORK}/readme/host.cpp" ${flags} "-Wl,-rpath,${library}"
    -o "${WORK}/readme/host")
  run("the program built by pkg-config" "${CMAKE_COMMAND}" -E chdir
    "${WORK}/readme" "${WORK}/readme/host")
  expect("the program built by pkg-config" "^1 3 5 7 9 on virtual SM")
  run("pkg-config" "${PKG_CONFIG}" --cflags --libs tlc-runtime)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run("building by pkg-config" "${CXX}" -std=c++20
    "${SOURCE}/test/package/consumer/loads.cpp" ${flags}
    -o "${WORK}/readme/loads")
endif()
run("the installed tlc" "${prefix}/bin/tlc" cache info)
expect("the installed tlc" "${WORK}/cache")

# The .deb holds the same, below /usr. Without CPack's own install step, which
# would build what is out of date.
find_program(CPACK cpack)
find_program(DPKG_DEB dpkg-deb)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(NOT CPACK OR NOT DPKG_DEB OR NOT DPKG_SHLIBDEPS)
  message(STATUS "no .deb made: cpack, dpkg-deb and dpkg-shlibdeps are needed")
  return()
endif()
file(WRITE "${WORK}/deb/install.cmake"
  "set(CMAKE_INSTALL_PREFIX /usr)\ninclude(\"${BUILD}/cmake_install.cmake\")\n")
run("cpack" "${CPACK}" --config "${BUILD}/CPackConfig.cmake" -B "${WORK}/deb"
  -D CPACK_INSTALL_CMAKE_PROJECTS=
  -D "CPACK_INSTALL_SCRIPTS=${WORK}/deb/install.cmake")
file(GLOB package "${WORK}/deb/*.deb")
run("reading the package" "${DPKG_DEB}" --info "${package}")
expect("the package" "Package: tlc\n")
expect("the package" "Depends: [^\n]*libc6")
run("unpacking" "${DPKG_DEB}" --extract "${package}" "${WORK}/deb/root")
run("the packaged tlc" "${WORK}/deb/root/usr/bin/tlc" cache info)
run("configuring against the package" "${CMAKE_COMMAND}" -G Ninja
  -S "${WORK}/readme" -B "${WORK}/deb/build" "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_PREFIX_PATH=${WORK}/deb/root/usr")
run("building against the package" "${CMAKE_COMMAND}" --build
  "${WORK}/deb/build")
run("the program against the package" "${CMAKE_COMMAND}" -E chdir
  "${WORK}/readme" "${WORK}/deb/build/host")
expect("the program against the package" "^1 3 5 7 9 on virtual SM")
