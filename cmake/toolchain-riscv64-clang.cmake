# SPDX-License-Identifier: MIT
# RISC-V, 64 bit, bare metal, clang and lld; toolchain-riscv32-clang.cmake is the same for 32. clang 14 refuses
# the "_zicsr" in -march that gcc 12 demands and has its CSR instructions all the same, so kymo_add_board() takes
# it out (KYMO_MARCH_DROP); lld 14 cannot relax, so nothing may be compiled to be relaxed.
if(NOT KYMO_RISCV_BITS)
    set(KYMO_RISCV_BITS 64)
endif()
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv)
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_ASM_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET riscv${KYMO_RISCV_BITS}-unknown-elf)
set(CMAKE_CXX_COMPILER_TARGET riscv${KYMO_RISCV_BITS}-unknown-elf)
set(CMAKE_ASM_COMPILER_TARGET riscv${KYMO_RISCV_BITS}-unknown-elf)
set(CMAKE_C_FLAGS_INIT -mno-relax)
set(CMAKE_CXX_FLAGS_INIT -mno-relax)
set(CMAKE_ASM_FLAGS_INIT -mno-relax)
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(KYMO_MARCH_DROP _zicsr)
