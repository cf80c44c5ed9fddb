# SPDX-License-Identifier: MIT
# RISC-V, 32 bit, bare metal, clang and lld.
set(KYMO_RISCV_BITS 32)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain-riscv64-clang.cmake)
# Division of 64 bits.
set(KYMO_LIBRARY_OF riscv64-unknown-elf-gcc)
