# SPDX-License-Identifier: MIT
# By default the image is for the emulator. For the board itself: -DKYMO_SILICON=ON.
option(KYMO_SILICON "Build for the chip rather than for the emulator" OFF)
set(BOARD_TOOLCHAIN riscv64-unknown-elf)
set(BOARD_FLAGS -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany)
set(BOARD_ARCH riscv)
set(BOARD_TRANSPORTS sifive_uart)
# rdtime traps on these cores, so the clock is mtime in memory, which runs at 1 MHz. A ring holds all that
# its core records in a run: there is RAM enough.
set(BOARD_DEFINITIONS
    KYMO_LANES=2
    KYMO_RING_BYTES=1048576
    KYMO_CLOCK=2
    KYMO_CLOCK_ADDRESS=0x0200bff8
    KYMO_CLOCK_HZ=1000000
    $<$<NOT:$<BOOL:${KYMO_SILICON}>>:BOARD_EMULATED>)
set(BOARD_SOURCES board.c ../common/riscv/start.S ../common/riscv/clint.c ../common/riscv/semihosting.c)
set(BOARD_LINKER_SCRIPT ../qemu-virt-riscv64/link.ld)
set(BOARD_LINK uart)
# TCP, for its large buffer: this emulated UART never says that it is full.
set(BOARD_RUN
    qemu-system-riscv64 -M sifive_u -smp 2 -bios none -display none -monitor none
    -semihosting-config enable=on,target=native
    -serial tcp:127.0.0.1:@PORT@,server=on,wait=on -kernel @IMAGE@)
