# SPDX-License-Identifier: MIT
# The machine of qemu-virt-riscv64 with 32-bit harts: the same start-up, board code and memory map.
# KYMO_RISCV_ISA chooses the instruction set; without the A extension the emulator's harts have none either.
set(KYMO_RISCV_ISA rv32imac_zicsr CACHE STRING "-march of the 32-bit RISC-V board")
set(BOARD_TOOLCHAIN riscv64-unknown-elf)
set(BOARD_FLAGS -march=${KYMO_RISCV_ISA} -mabi=ilp32 -mcmodel=medany)
set(BOARD_ARCH riscv)
set(BOARD_TRANSPORTS ns16550)
set(BOARD_DEFINITIONS
    KYMO_LANES=2
    KYMO_RING_BYTES=1048576
    KYMO_CLOCK_HZ=10000000)
set(BOARD_SOURCES
    ../qemu-virt-riscv64/board.c ../qemu-virt-riscv64/link_uart.c
    ../common/riscv/start.S ../common/riscv/clint.c)
set(BOARD_LINKER_SCRIPT ../qemu-virt-riscv64/link.ld)
set(BOARD_LINK uart)
set(BOARD_CPU rv32)
if(KYMO_RISCV_ISA MATCHES "^rv32imc")
    set(BOARD_CPU rv32,a=off)
endif()
set(BOARD_RUN
    qemu-system-riscv32 -M virt -cpu ${BOARD_CPU} -smp 2 -bios none -display none -monitor none
    -serial unix:@SOCKET@,server=on,wait=on -kernel @IMAGE@)
