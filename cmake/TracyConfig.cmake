# SPDX-License-Identifier: MIT
# find_package(Tracy), where Tracy_DIR is this folder: Tracy::TracyClient, by kymo.
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/kymoConfig.cmake)
