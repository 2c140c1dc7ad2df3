# SPDX-License-Identifier: Apache-2.0
# ulpine_install_config(COMPONENT): what find_package(ulpine) reads first, once for all components.
include(CMakePackageConfigHelpers)
get_filename_component(ULPINE_CONFIG_FOLDER "${CMAKE_CURRENT_LIST_FILE}" DIRECTORY)
function(ulpine_install_config component)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/ulpine)
  configure_package_config_file("${ULPINE_CONFIG_FOLDER}/ulpineConfig.cmake.in" "${PROJECT_BINARY_DIR}/ulpineConfig.cmake"
                                INSTALL_DESTINATION ${folder} PATH_VARS CMAKE_INSTALL_DATADIR)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/ulpineConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/ulpineConfig.cmake" "${PROJECT_BINARY_DIR}/ulpineConfigVersion.cmake"
          DESTINATION ${folder} COMPONENT ${component})
endfunction()
