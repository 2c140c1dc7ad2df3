# SPDX-License-Identifier: Apache-2.0
# The flags of the numerical contract, for Ulpine and for whoever writes kernels for it: part of the package.

# Flags after the contract's, to see what a build that breaks it computes (docs/results/traces.md). Never for results.
set(ULPINE_BREAK_CONTRACT_FLAGS "" CACHE STRING "Flags that override the numerical contract's (a list; for comparisons only)")
if(ULPINE_BREAK_CONTRACT_FLAGS)
  message(WARNING "ULPINE_BREAK_CONTRACT_FLAGS=${ULPINE_BREAK_CONTRACT_FLAGS}: this build does not keep the numerical contract")
endif()
# clang takes 113-bit numbers from GCC's libquadmath, whose header lies in GCC's own folder.
set(quadmath_flags "")
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  find_program(ULPINE_GCC gcc)
  if(ULPINE_GCC)
    execute_process(COMMAND "${ULPINE_GCC}" -print-file-name=include OUTPUT_VARIABLE gcc_headers OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(quadmath_flags "-idirafter${gcc_headers}")
  endif()
endif()
set(ULPINE_QUADMATH_CXX_FLAGS "${quadmath_flags}" CACHE INTERNAL "Where clang finds quadmath.h")

# The flags of the numerical contract (docs/explanation/reproducibility.md): no contraction, no fast-math; -fno-trapping-math changes no value,
# it only lets loops be vectorised. A function, as whoever has Ulpine's folder within an own project sees no variables of it.
function(ulpine_numeric_flags cxx_result cuda_result)
  set(cxx -ffp-contract=off -fno-fast-math)
  # With it sqrt is one instruction and loops over it are vectorised; but where a loop over pow(x, 0.5) is, g++ 12 takes square roots
  # in its vectors and calls pow in its rest, and a value depends on its place (findings/gcc_pow_depends_on_its_place.sh). Set for
  # Ulpine's own sources, which have no such power (the test `style`), and by whoever knows the same of a model of their own.
  if(ULPINE_NO_MATH_ERRNO)
    list(APPEND cxx -fno-math-errno)
  endif()
  list(APPEND cxx -fno-trapping-math)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    # fma() must be the hardware instruction; the program checks for it at start.
    list(APPEND cxx -march=x86-64-v3)
  endif()
  set(${cxx_result} ${cxx} ${ULPINE_BREAK_CONTRACT_FLAGS} PARENT_SCOPE)
  set(${cuda_result} --fmad=false -ftz=false -prec-div=true -prec-sqrt=true PARENT_SCOPE)
endfunction()

# Enables CUDA with C++20, which .cu sources inherit from cxx_std_20 and CMake before 3.25.2 does not know of nvcc.
macro(ulpine_enable_cuda)
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
endmacro()

# g++ 12 makes one instruction (vfmaddsub, vfmsubadd) of products that are added and subtracted by turns where it vectorises
# straight code, or in the sources that are named loops, whatever -ffp-contract says: for targets in which that was found
# (the test `contraction` looks for it).
function(ulpine_do_not_contract target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-fno-tree-slp-vectorize>")
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fno-tree-vectorize)
  endif()
endfunction()

# Warnings, the numerical contract and C++20 for both compilers; 1675 is nvcc's word on g++'s unroll pragmas.
function(ulpine_compile_options target)
  ulpine_numeric_flags(cxx_flags cuda_flags)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wno-sign-conversion;${ULPINE_QUADMATH_CXX_FLAGS};${cxx_flags}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags};-diag-suppress=1675;-Werror=cross-execution-space-call;-Xcompiler=-Wall,-Wextra,-ffp-contract=off>")
  if(ULPINE_HAS_CUDA)
    target_compile_definitions(${target} PUBLIC ULPINE_HAS_CUDA=1)
  endif()
  if(NOT TARGET OpenMP::OpenMP_CXX)  # found within Ulpine's folder alone
    find_package(OpenMP REQUIRED COMPONENTS CXX)
  endif()
  target_link_libraries(${target} PUBLIC OpenMP::OpenMP_CXX)
endfunction()
