# SPDX-License-Identifier: Apache-2.0
# The component `probe` of the installation, which asks for nothing of the others: both libraries, a file for pkg-config, and
# what find_package(ulpine COMPONENTS probe) reads.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ulpine)
install(TARGETS ulpine_probe EXPORT ulpineProbeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT probe
        NAMELINK_COMPONENT probe)
install(FILES "${archive}" DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT probe)
install(EXPORT ulpineProbeTargets NAMESPACE ulpine:: DESTINATION ${package_dir} COMPONENT probe)

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
           OUTPUT_VARIABLE ULPINE_PC_TO_PREFIX)
configure_file("${CMAKE_CURRENT_SOURCE_DIR}/ulpine-probe.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/ulpine-probe.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/ulpine-probe.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT probe)

include(UlpineConfigPackage)
configure_file("${CMAKE_CURRENT_SOURCE_DIR}/ulpine_probe.cmake.in" "${CMAKE_CURRENT_BINARY_DIR}/ulpine_probe.cmake" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/ulpine_probe.cmake" DESTINATION ${package_dir} COMPONENT probe)
ulpine_install_config(probe)
