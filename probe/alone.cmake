# SPDX-License-Identifier: Apache-2.0
# What the probe takes of the project's settings where it is built alone (cmake -S probe).
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
include(GNUInstallDirs)
set(PROJECT_SOURCE_DIR "${ulpine_source}")
list(APPEND CMAKE_MODULE_PATH "${ulpine_source}/cmake")
include(UlpineContract)
include(UlpinePolicies)
include(UlpineVersion)
