# SPDX-License-Identifier: MIT
# Arm Cortex-M, bare metal, gcc (Debian and Ubuntu: gcc-arm-none-eabi; no C library is needed).
# The compiler only: which core is the board's business.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
