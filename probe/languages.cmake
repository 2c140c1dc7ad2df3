# SPDX-License-Identifier: Apache-2.0
# What other languages need: headers for C and C++, Fortran as source (module files are of one compiler), the Python package.
set(ULPINE_PROBE_FORTRAN "${CMAKE_INSTALL_DATADIR}/ulpine/probe/fortran")
set(ULPINE_PROBE_PYTHON "${CMAKE_INSTALL_DATADIR}/ulpine/probe/python")
install(FILES include/ulpine.h include/ulpine.hpp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT probe)
install(FILES fortran/ulpine.f90 DESTINATION "${ULPINE_PROBE_FORTRAN}" COMPONENT probe)
install(DIRECTORY python/ulpine DESTINATION "${ULPINE_PROBE_PYTHON}" COMPONENT probe FILES_MATCHING PATTERN "*.py")
