# SPDX-License-Identifier: MIT
# KYMO_PC_BITS 32: i386 in place of x86-64.
set(KYMO_PC_BITS 64 CACHE STRING "64 or 32")
set(BOARD_TOOLCHAIN x86_64-freestanding)
# No red zone: interrupts use the same stack. SSE stays on, as the ABI passes floating point in it, and the
# interrupt entry saves it.
set(BOARD_FLAGS
    -m${KYMO_PC_BITS} -mno-red-zone -fno-pic -no-pie -fno-stack-protector -fcf-protection=none
    -fno-asynchronous-unwind-tables -Wl,-z,max-page-size=4096 -Wl,--build-id=none)
set(BOARD_ARCH x86)
set(BOARD_TRANSPORTS ns16550)
# A ring holds all that its core records in a run, so that nothing is lost however slow the reader is. Numbers of
# APICs may have gaps, so the board itself says which core it is.
set(BOARD_DEFINITIONS KYMO_LANES=2 KYMO_LANE_NUMBER=1 KYMO_RING_BYTES=2097152)
set(BOARD_EMULATOR_64 qemu-system-x86_64)
set(BOARD_EMULATOR_32 qemu-system-i386)
set(BOARD_SOURCES board.c ../common/x86/start.S ../common/x86/vectors.S ../common/x86/core.c ../common/x86/second_core.c)
set(BOARD_LINKER_SCRIPT link.ld)
# The 32-bit library of a 64-bit gcc is a package of its own.
set(BOARD_NO_LIBRARY ON)
set(BOARD_LINK uart one_core)
# The machine's exit device cannot say 0: 33 stands for it, see board.c.
set(BOARD_RUN_PASS 33)
set(BOARD_RUN
    ${BOARD_EMULATOR_${KYMO_PC_BITS}} -M q35 -smp 2 -m 64 -nodefaults -vga none -display none -monitor none -no-reboot
    -device isa-debug-exit,iobase=0xf4,iosize=4
    -serial unix:@SOCKET@,server=on,wait=on -kernel @IMAGE@)
