# SPDX-License-Identifier: MIT
set(BOARD_TOOLCHAIN aarch64-linux-gnu)
# The MMU is off, so all memory counts as a device's, where an unaligned access is a fault. Floating point
# stays on, as the ABI passes it in registers, and the interrupt entry saves those.
set(BOARD_FLAGS
    -mcpu=cortex-a53 -mstrict-align -mno-outline-atomics -fno-pic -no-pie -fno-stack-protector
    -fno-asynchronous-unwind-tables -Wl,--build-id=none -L${CMAKE_CURRENT_LIST_DIR}/../common/arm)
set(BOARD_ARCH aarch64)
set(BOARD_TRANSPORTS pl011 bcm2835_miniuart)
# Which of the two UARTs; QEMU's first serial port is the PL011, its second the mini UART.
option(KYMO_RASPI3_MINI_UART "Raspberry Pi 3: the mini UART in place of the PL011" OFF)
set(BOARD_UART pl011_uart.c)
set(BOARD_PORTS -serial unix:@SOCKET@,server=on,wait=on)
if(KYMO_RASPI3_MINI_UART)
    set(BOARD_UART mini_uart.c)
    list(PREPEND BOARD_PORTS -serial null)
endif()
# A ring holds all that its core records in a run, so that nothing is lost however slow the reader is.
set(BOARD_DEFINITIONS
    KYMO_LANES=2
    KYMO_RING_BYTES=1048576
    BOARD_MINI_UART=$<BOOL:${KYMO_RASPI3_MINI_UART}>)
set(BOARD_SOURCES
    board.c ${BOARD_UART} ../common/aarch64/start.S ../common/arm/timer.c ../common/arm/semihosting.c)
set(BOARD_LINKER_SCRIPT link.ld)
# The boot code takes no ELF.
set(BOARD_FINISH aarch64-linux-gnu-objcopy -O binary @IMAGE@ @FOLDER@/kernel8.img)
set(BOARD_LINK uart)
set(BOARD_RUN
    qemu-system-aarch64 -M raspi3b -display none -monitor none
    -semihosting-config enable=on,target=native
    ${BOARD_PORTS} -kernel @FOLDER@/kernel8.img)
