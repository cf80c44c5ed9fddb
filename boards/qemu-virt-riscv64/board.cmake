# SPDX-License-Identifier: MIT
set(BOARD_TOOLCHAIN riscv64-unknown-elf)
set(BOARD_FLAGS -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany)
set(BOARD_ARCH riscv)
set(BOARD_LINKS uart tcp rtt memory recorder)
set(BOARD_TRANSPORTS_uart ns16550)
set(BOARD_TRANSPORTS_tcp kymo_net virtio_net)
set(BOARD_TRANSPORTS_rtt rtt)
set(BOARD_TRANSPORTS_memory ns16550)
set(BOARD_TRANSPORTS_recorder ns16550)
set(BOARD_TRANSPORTS ${BOARD_TRANSPORTS_${KYMO_BOARD_LINK}})
# A ring holds all that its core records in a run, so that nothing is lost however slow the reader is:
# there is RAM enough. The time CSR counts at 10 MHz.
set(BOARD_DEFINITIONS
    KYMO_LANES=2
    KYMO_RING_BYTES=1048576
    KYMO_CLOCK_HZ=10000000)
set(BOARD_SOURCES_uart link_uart.c)
set(BOARD_SOURCES_tcp ../common/link_tcp.c)
set(BOARD_SOURCES_rtt link_rtt.c)
set(BOARD_SOURCES_memory link_memory.c)
set(BOARD_SOURCES_recorder link_memory.c)
set(BOARD_SOURCES
    board.c ${BOARD_SOURCES_${KYMO_BOARD_LINK}} ../common/riscv/start.S ../common/riscv/clint.c)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK_uart uart plug)
set(BOARD_LINK_tcp tcp)
set(BOARD_LINK_rtt rtt rtt_overwritten)
set(BOARD_LINK_memory memory)
set(BOARD_LINK_recorder recorder)
set(BOARD_LINK ${BOARD_LINK_${KYMO_BOARD_LINK}})
set(BOARD_PORT_uart -serial unix:@SOCKET@,server=on,wait=on)
set(BOARD_PORT_tcp
    -serial none -netdev user,id=net,hostfwd=tcp:127.0.0.1:@PORT@-:6996 -device virtio-net-device,netdev=net)
# For a debug probe: RAM that is the file @SOCKET@ (tests/e2e/rtt.sh). OpenOCD reads addresses of 32 bits.
set(BOARD_PORT_rtt
    -serial none -machine memory-backend=ram
    -object memory-backend-file,id=ram,size=128M,share=on,mem-path=@SOCKET@)
# For a debugger, which is waited for.
set(BOARD_PORT_memory ${BOARD_PORT_uart} -S -gdb unix:@SOCKET@.gdb,server=on,wait=off)
set(BOARD_PORT_recorder ${BOARD_PORT_memory})
# Room for two runs, of which the first is sent in the second.
if(KYMO_BOARD_LINK STREQUAL "recorder")
    list(REMOVE_ITEM BOARD_DEFINITIONS KYMO_RING_BYTES=1048576)
    list(APPEND BOARD_DEFINITIONS KYMO_RING_BYTES=2097152 KYMO_KEEP_NEWEST=1)
endif()
if(KYMO_BOARD_LINK STREQUAL "rtt")
    list(APPEND BOARD_DEFINITIONS KYMO_RTT_ADDRESS_BITS=32)
endif()
set(BOARD_RUN
    qemu-system-riscv64 -M virt -smp 2 -bios none -display none -monitor none
    ${BOARD_PORT_${KYMO_BOARD_LINK}} -kernel @IMAGE@)
