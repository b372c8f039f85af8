# cmake -DOUT=file.cpp -DIN=a.cuh,b.cuh -P EmbedPrelude.cmake
# Writes the files as one string constant, in the order given.
string(REPLACE "," ";" files "${IN}")
set(text "")
foreach(file IN LISTS files)
  file(READ "${file}" part)
  string(APPEND text "R\"PRELUDE(${part})PRELUDE\"\n")
endforeach()
file(WRITE "${OUT}" "namespace tlc::cuda {
extern const char *const preludeText;
const char *const preludeText =
${text};
} // namespace tlc::cuda
")
