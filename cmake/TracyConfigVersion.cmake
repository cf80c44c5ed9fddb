# SPDX-License-Identifier: MIT
# The markup is that of all releases from 0.9 to 0.14.
set(PACKAGE_VERSION 0.14.0)
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
