# SPDX-License-Identifier: MIT
# RISC-V, 32 and 64 bit, bare metal, gcc (Debian and Ubuntu: gcc-riscv64-unknown-elf).
# The compiler only: which core, ABI and memory model is the board's business.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
# There is no C library to link a trial program with.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
