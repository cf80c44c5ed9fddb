# SPDX-License-Identifier: MIT
set(BOARD_TOOLCHAIN aarch64-linux-gnu)
# The MMU is off, so all memory counts as a device's, where an unaligned access is a fault. Floating point
# stays on, as the ABI passes it in registers, and the interrupt entry saves those.
set(BOARD_FLAGS
    -mcpu=cortex-a53 -mstrict-align -mno-outline-atomics -fno-pic -no-pie -fno-stack-protector
    -fno-asynchronous-unwind-tables -Wl,--build-id=none -L${CMAKE_CURRENT_LIST_DIR}/../common/arm)
set(BOARD_ARCH aarch64)
set(BOARD_LINKS uart tcp)
set(BOARD_TRANSPORTS_uart pl011)
set(BOARD_TRANSPORTS_tcp kymo_net virtio_net)
set(BOARD_TRANSPORTS ${BOARD_TRANSPORTS_${KYMO_BOARD_LINK}})
# A ring holds all that its core records in a run, so that nothing is lost however slow the reader is.
set(BOARD_DEFINITIONS
    KYMO_LANES=2
    KYMO_RING_BYTES=1048576)
set(BOARD_SOURCES_uart link_uart.c)
set(BOARD_SOURCES_tcp ../common/link_tcp.c)
set(BOARD_SOURCES
    board.c ${BOARD_SOURCES_${KYMO_BOARD_LINK}} ../common/aarch64/start.S ../common/arm/timer.c ../common/arm/semihosting.c ../common/arm/psci.c
    ../common/arm/gicv2.c)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK ${KYMO_BOARD_LINK})
set(BOARD_PORT_uart -serial unix:@SOCKET@,server=on,wait=on)
set(BOARD_PORT_tcp
    -serial none -netdev user,id=net,hostfwd=tcp:127.0.0.1:@PORT@-:6996 -device virtio-net-device,netdev=net)
set(BOARD_RUN
    qemu-system-aarch64 -M virt -cpu cortex-a53 -smp 2 -display none -monitor none
    -semihosting-config enable=on,target=native
    ${BOARD_PORT_${KYMO_BOARD_LINK}} -kernel @IMAGE@)
