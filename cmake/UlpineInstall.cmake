# SPDX-License-Identifier: Apache-2.0
# Installation: libraries and headers, a CMake package, a pkg-config file, the analysis scripts and the cases.

option(ULPINE_INSTALL "Install the libraries, headers and package files" ${PROJECT_IS_TOP_LEVEL})
if(NOT ULPINE_INSTALL)
  return()
endif()
include(UlpineConfigPackage)

get_property(ulpine_libraries GLOBAL PROPERTY ULPINE_LIBRARIES)
install(TARGETS ${ulpine_libraries} EXPORT ulpineTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(DIRECTORY precision io core verification ensembles DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ulpine COMPONENT dev
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
if(TARGET ulpine_command)
  install(FILES cli/command.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ulpine/cli COMPONENT dev)
endif()
install(FILES "${PROJECT_BINARY_DIR}/generated/ulpine_version.hpp" "${PROJECT_BINARY_DIR}/generated/ulpine_policies.hpp"
        "${PROJECT_BINARY_DIR}/generated/ulpine_demanded_policies.hpp"
        "${PROJECT_BINARY_DIR}/generated/ulpine_host_policies.hpp" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ulpine COMPONENT dev)
# Installed headers name each other as others name them.
install(CODE "set(headers_dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/ulpine\")" COMPONENT dev)
install(CODE [[
  file(GLOB_RECURSE headers "${headers_dir}/*.hpp" "${headers_dir}/*.cuh")
  foreach(header IN LISTS headers)
    file(READ "${header}" text)
    string(REGEX REPLACE "#include \"(precision|io|core|verification|ensembles|cli|ulpine_[a-z_]+\\.hpp)" "#include \"ulpine/\\1" text "${text}")
    file(WRITE "${header}" "${text}")
  endforeach()
]] COMPONENT dev)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)
install(DIRECTORY analysis/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ulpine/analysis
        PATTERN "__pycache__" EXCLUDE PATTERN ".gitkeep" EXCLUDE)
install(FILES precision/policies.list DESTINATION ${CMAKE_INSTALL_DATADIR}/ulpine/analysis/ulpine_report)
install(DIRECTORY docs/reference/schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ulpine/schemas)
install(DIRECTORY cases/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ulpine/cases)
install(DIRECTORY devices/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ulpine/devices)
install(FILES verification/atlas.toml DESTINATION ${CMAKE_INSTALL_DATADIR}/ulpine/verification)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES scripts/ulpine-completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ulpine)
install(FILES scripts/ulpine-completion.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _ulpine)
install(FILES scripts/ulpine-completion.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ulpine.fish)
# The manual page, of the program's own words; a build of `ulpine` alone has none.
if(TARGET ulpine)
  set(manual "${PROJECT_BINARY_DIR}/ulpine.1")
  add_custom_command(OUTPUT "${manual}" COMMAND ulpine_program help --man > "${manual}" DEPENDS ulpine_program VERBATIM)
  add_custom_target(ulpine_manual ALL DEPENDS "${manual}")
  install(FILES "${manual}" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
endif()

# CMake package: find_package(ulpine)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ulpine)
configure_file(cmake/ulpine_libraries.cmake.in "${PROJECT_BINARY_DIR}/ulpine_libraries.cmake" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ulpine_libraries.cmake" cmake/UlpineContract.cmake DESTINATION ${package_dir} COMPONENT dev)
if(NOT ULPINE_PROBE)  # with which it comes otherwise
  ulpine_install_config(dev)
endif()
install(EXPORT ulpineTargets NAMESPACE ulpine:: DESTINATION ${package_dir} COMPONENT dev)

# pkg-config: the libraries are static, so whatever they need stands in Libs and Requires. A library is registered
# after those that it uses, so the linker wants the reverse order.
set(reversed_libraries ${ulpine_libraries})
list(REVERSE reversed_libraries)
list(TRANSFORM reversed_libraries PREPEND "-l")
list(JOIN reversed_libraries " " ULPINE_PC_LIBS)
set(ULPINE_PC_CFLAGS "")
if(ULPINE_HAS_CUDA)
  set(ULPINE_PC_CFLAGS "-DULPINE_HAS_CUDA=1")
  list(GET CUDAToolkit_LIBRARY_DIR 0 cuda_library_dir)
  string(APPEND ULPINE_PC_LIBS " -L${cuda_library_dir} -lcufft -lcudart")
endif()
get_target_property(ranks_libraries ulpine_ranks LINK_LIBRARIES)
list(FILTER ranks_libraries EXCLUDE REGEX "::")
list(TRANSFORM ranks_libraries REPLACE "^([^/-].*)$" "-l\\1")
list(JOIN ranks_libraries " " ranks_libraries)
string(APPEND ULPINE_PC_LIBS " ${ranks_libraries}")
if(TARGET ulpine_petsc)
  get_target_property(petsc_libraries ulpine_petsc LINK_LIBRARIES)
  list(FILTER petsc_libraries EXCLUDE REGEX "::")
  list(TRANSFORM petsc_libraries REPLACE "^([^/-].*)$" "-l\\1")
  list(JOIN petsc_libraries " " petsc_libraries)
  string(APPEND ULPINE_PC_LIBS " ${petsc_libraries}")
endif()
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
           OUTPUT_VARIABLE ULPINE_PC_TO_PREFIX)
configure_file(cmake/ulpine.pc.in "${PROJECT_BINARY_DIR}/ulpine.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ulpine.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
include(UlpinePackage)
