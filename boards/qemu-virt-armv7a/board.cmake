# SPDX-License-Identifier: MIT
# The machine of qemu-virt-aarch64 with 32-bit cores: the same board code and memory map.
set(BOARD_TOOLCHAIN arm-none-eabi)
# The MMU is off, so all memory counts as a device's, where an unaligned access is a fault.
set(BOARD_FLAGS
    -mcpu=cortex-a15 -marm -mfloat-abi=soft -mno-unaligned-access -L${CMAKE_CURRENT_LIST_DIR}/../common/arm)
set(BOARD_ARCH armv7-a)
set(BOARD_TRANSPORTS pl011)
# A ring holds all that its core records in a run, so that nothing is lost however slow the reader is.
set(BOARD_DEFINITIONS
    KYMO_LANES=2
    KYMO_RING_BYTES=1048576)
set(BOARD_SOURCES
    ../qemu-virt-aarch64/board.c ../qemu-virt-aarch64/link_uart.c ../common/armv7-a/start.S ../common/arm/timer.c ../common/arm/semihosting.c
    ../common/arm/psci.c ../common/arm/gicv2.c)
set(BOARD_LINKER_SCRIPT ../qemu-virt-aarch64/link.ld)
set(BOARD_LINK uart one_core)
set(BOARD_RUN
    qemu-system-arm -M virt -cpu cortex-a15 -smp 2 -display none -monitor none
    -semihosting-config enable=on,target=native
    -serial unix:@SOCKET@,server=on,wait=on -kernel @IMAGE@)
