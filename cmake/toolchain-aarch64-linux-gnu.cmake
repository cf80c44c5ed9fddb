# SPDX-License-Identifier: MIT
# AArch64, bare metal, with the gcc for Linux (Debian and Ubuntu: gcc-aarch64-linux-gnu): nothing of a C
# library is used. The compiler only: which core is the board's business.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
