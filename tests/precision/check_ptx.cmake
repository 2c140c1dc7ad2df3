# SPDX-License-Identifier: Apache-2.0
# The elementary functions in device code: correctly rounded arithmetic only, no approximation, no flush to zero, no calls.
# cmake -DNVCC=.. -DSOURCE_DIR=.. -DARCHITECTURE=90 -DFLAGS="..." -P check_ptx.cmake
separate_arguments(FLAGS)
function(check_ptx source wanted_all forbidden_all)
  execute_process(
    COMMAND "${NVCC}" -std=c++20 ${FLAGS} "-arch=compute_${ARCHITECTURE}" "-I${SOURCE_DIR}" "-I${SOURCE_DIR}/tests" -ptx
            "${SOURCE_DIR}/tests/precision/${source}" -o -
    OUTPUT_VARIABLE ptx ERROR_VARIABLE errors RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "nvcc failed: ${errors}")
  endif()
  foreach(wanted ${wanted_all})
    if(NOT ptx MATCHES "${wanted}")
      message(FATAL_ERROR "no ${wanted} in the PTX of ${source}: is it that of the elementary functions?")
    endif()
  endforeach()
  foreach(forbidden "[.]approx" "[.]ftz" "call[.]uni" "call " "[.]full[.]" ${forbidden_all})
    if(ptx MATCHES "[^\n]*${forbidden}[^\n]*")
      message(FATAL_ERROR "the PTX of ${source} has '${CMAKE_MATCH_0}'")
    endif()
  endforeach()
endfunction()

check_ptx(ptx.cu "fma[.]rn[.]f64;fma[.]rn[.]f32;div[.]rn[.]f64;sqrt[.]rn[.]f64" "")
# Numbers of two floats need no double.
check_ptx(ptx_double_float.cu "fma[.]rn[.]f32;div[.]rn[.]f32;sqrt[.]rn[.]f32" "[.]f64")
