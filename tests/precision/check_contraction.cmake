# SPDX-License-Identifier: Apache-2.0
# No library has an instruction that g++ makes of two products and a sum and a difference against -ffp-contract=off:
# nothing in the sources asks for one. LIBRARIES, comma-separated; OBJDUMP.
if(NOT OBJDUMP)
  message("skipped: there is no objdump")
  return()
endif()
string(REPLACE "," ";" libraries "${LIBRARIES}")
set(found "")
foreach(library IN LISTS libraries)
  execute_process(COMMAND "${OBJDUMP}" -d "${library}"
                  COMMAND grep -cE "vfm(addsub|subadd)[0-9]"
                  OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT count MATCHES "^[0-9]+$")
    message(FATAL_ERROR "${library} could not be read")
  endif()
  if(NOT count EQUAL 0)
    string(APPEND found " ${library} (${count})")
  endif()
endforeach()
if(found)
  message(FATAL_ERROR "contracted, see docs/reproducibility.md:${found}")
endif()
