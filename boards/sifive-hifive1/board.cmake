# SPDX-License-Identifier: MIT
# By default the image is for the emulator. For the board itself: -DKYMO_SILICON=ON.
option(KYMO_SILICON "Build for the chip rather than for the emulator" OFF)
set(BOARD_TOOLCHAIN riscv64-unknown-elf)
set(BOARD_FLAGS -march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medlow)
set(BOARD_ARCH riscv)
set(BOARD_TRANSPORTS sifive_uart)
# The core has no time CSR. On the chip the cycle CSR stamps the events, at the core's 16 MHz, as mtime ticks
# only each 30 us. The emulator's cycle CSR has no rate that one could know, but its mtime runs at 10 MHz.
set(BOARD_DEFINITIONS KYMO_RING_BYTES=4096 KYMO_PACKET_BYTES=256)
if(KYMO_SILICON)
    list(APPEND BOARD_DEFINITIONS KYMO_CLOCK=1 KYMO_CLOCK_HZ=16000000)
else()
    list(APPEND BOARD_DEFINITIONS
        BOARD_EMULATED KYMO_CLOCK=2 KYMO_CLOCK_ADDRESS=0x0200bff8 KYMO_CLOCK_HZ=10000000)
endif()
set(BOARD_SOURCES board.c ../common/riscv/start.S ../common/riscv/clint.c ../common/riscv/semihosting.c)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK uart)
# TCP, for its large buffer: this emulated UART never says that it is full.
set(BOARD_RUN
    qemu-system-riscv32 -M sifive_e,revb=true -display none -monitor none
    -semihosting-config enable=on,target=native
    -serial tcp:127.0.0.1:@PORT@,server=on,wait=on -kernel @IMAGE@)
