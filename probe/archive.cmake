# SPDX-License-Identifier: Apache-2.0
# Makes ARCHIVE of OBJECTS and of what they need of the C++ library: one object that shows the names ulpine_* alone.
get_filename_component(folder "${ARCHIVE}" DIRECTORY)
set(whole "${folder}/ulpine_probe_whole.o")
set(parts "")
foreach(library libstdc++.a libgcc_eh.a libgcc.a)
  execute_process(COMMAND "${CXX}" "-print-file-name=${library}" OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND parts "${file}")
endforeach()
# Roots of what is kept: the entry points, and what runs as the program starts and ends.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/include/ulpine.h" declared REGEX "^(extern int|void) ulpine_[a-z_]+")
set(roots "")
foreach(line IN LISTS declared)
  string(REGEX REPLACE "^(extern int|void) (ulpine_[a-z_]+).*" "-Wl,--undefined=\\2" root "${line}")
  list(APPEND roots "${root}")
endforeach()
execute_process(COMMAND "${CXX}" -r -nostdlib -Wl,--force-group-allocation -Wl,--gc-sections ${roots} -o "${whole}"
                        ${OBJECTS} -Wl,--start-group ${parts} -Wl,--end-group COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PLAIN_SYMBOLS}" "${whole}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${OBJCOPY}" --strip-unneeded --wildcard "--keep-global-symbol=ulpine_*" "${whole}" COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE "${ARCHIVE}")
execute_process(COMMAND "${AR}" crD "${ARCHIVE}" "${whole}" COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE "${whole}")
