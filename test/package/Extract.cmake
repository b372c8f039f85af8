# tlc_extract(<markdown text> <label> <language> <variable>): the code block of
# that language which follows the label, as it stands in the text.
function(tlc_extract text label language variable)
  string(FIND "${text}" "${label}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "README.md has no ${label}")
  endif()
  string(SUBSTRING "${text}" ${at} -1 text)
  string(FIND "${text}" "```${language}\n" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "README.md has no ${language} block after ${label}")
  endif()
  string(LENGTH "```${language}\n" skip)
  math(EXPR at "${at} + ${skip}")
  string(SUBSTRING "${text}" ${at} -1 text)
  string(FIND "${text}" "```" at)
  string(SUBSTRING "${text}" 0 ${at} text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# tlc_extract_program(<README.md> <folder>): scale.tl, host.cpp and
# CMakeLists.txt of its C++ section.
function(tlc_extract_program readme folder)
  file(READ "${readme}" text)
  tlc_extract("${text}" "`scale.tl`:" python kernel)
  file(WRITE "${folder}/scale.tl" "${kernel}")
  tlc_extract("${text}" "`host.cpp`:" cpp host)
  file(WRITE "${folder}/host.cpp" "${host}")
  tlc_extract("${text}" "`CMakeLists.txt`:" cmake lists)
  file(WRITE "${folder}/CMakeLists.txt" "${lists}")
endfunction()

# cmake -DREADME=... -DFOLDER=... -P Extract.cmake
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  tlc_extract_program("${README}" "${FOLDER}")
endif()
