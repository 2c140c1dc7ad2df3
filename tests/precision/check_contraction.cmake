# SPDX-License-Identifier: Apache-2.0
# No library has an instruction that g++ makes of two products and a sum and a difference against -ffp-contract=off:
# nothing in the sources asks for one. OBJECTS: a file that names the libraries' objects, one a line; OBJDUMP. Disassembling
# all takes minutes: with VEX, where no instructions of AVX-512 are asked for, an object is first searched for the bytes that
# every such instruction has then (Intel's manual, volume 2: VEX.66.0F38, 96, 97, a6, a7, b6 or b7), which others may have by
# chance.
if(NOT OBJDUMP)
  message("skipped: there is no objdump")
  return()
endif()
file(STRINGS "${OBJECTS}" objects)
if(NOT objects)
  message(FATAL_ERROR "${OBJECTS} names no object")
endif()
set(vex "")
set(map "")
foreach(high 0 1 2 3 4 5 6 7 8 9 a b c d e f)
  string(APPEND vex "\\x${high}1\\x${high}5\\x${high}9\\x${high}d")
endforeach()
foreach(high 0 2 4 6 8 a c e)
  string(APPEND map "\\x${high}2")
endforeach()
set(opcode "[\\x96\\x97\\xa6\\xa7\\xb6\\xb7]")
set(bytes "\\xc4[${map}][${vex}]${opcode}")
if(VEX)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C grep -laP -e "${bytes}" ${objects}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_QUIET)
  if(status LESS 2)  # where grep cannot search so, all are disassembled
    string(REGEX MATCHALL "[^\n]+" objects "${output}")
  endif()
endif()
set(found "")
foreach(object IN LISTS objects)
  if(NOT EXISTS "${object}")
    message(FATAL_ERROR "there is no ${object}")
  endif()
  execute_process(COMMAND "${OBJDUMP}" -d "${object}"
                  COMMAND grep -cE "vfm(addsub|subadd)[0-9]"
                  OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT count MATCHES "^[0-9]+$")
    message(FATAL_ERROR "${object} could not be read")
  endif()
  if(NOT count EQUAL 0)
    string(APPEND found " ${object} (${count})")
  endif()
endforeach()
if(found)
  message(FATAL_ERROR "contracted, see docs/explanation/reproducibility.md:${found}")
endif()
