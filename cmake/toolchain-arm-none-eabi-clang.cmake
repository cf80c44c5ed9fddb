# SPDX-License-Identifier: MIT
# Arm Cortex-M, bare metal, clang and lld. The compiler only: which core is the board's business. What the core has no
# instruction for, division of 64 bits for example, is in gcc's library.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER clang)
set(CMAKE_ASM_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET arm-none-eabi)
set(CMAKE_ASM_COMPILER_TARGET arm-none-eabi)
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(KYMO_LIBRARY_OF arm-none-eabi-gcc)
