# SPDX-License-Identifier: Apache-2.0
# version.hpp: what provenance says of the build. The commit is read at configure time.
set(ULPINE_COMMIT "unknown")
find_package(Git QUIET)
# Only the source's own repository counts, not one that it was unpacked into; who builds need not own it (sudo).
if(GIT_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${PROJECT_SOURCE_DIR}" -c safe.directory=*
                          describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(ULPINE_COMMIT "${commit}")
  endif()
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
ulpine_numeric_flags(cxx_flags cuda_flags)
list(JOIN cxx_flags " " numeric_flags)
set(ULPINE_FLAGS "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} ${numeric_flags}")
string(STRIP "${ULPINE_FLAGS}" ULPINE_FLAGS)
set(ULPINE_COMPILER "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(ULPINE_HAS_CUDA)
  list(JOIN cuda_flags " " cuda_flags)
  string(APPEND ULPINE_COMPILER ", nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
  string(APPEND ULPINE_FLAGS "; nvcc ${cuda_flags}")
  list(JOIN CMAKE_CUDA_ARCHITECTURES "," ULPINE_CUDA_ARCHITECTURES)
else()
  set(ULPINE_CUDA_ARCHITECTURES "")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/version.hpp.in" "${PROJECT_BINARY_DIR}/generated/ulpine_version.hpp" @ONLY)
