# SPDX-License-Identifier: MIT
set(BOARD_TOOLCHAIN arm-none-eabi)
set(BOARD_FLAGS -mcpu=cortex-m0plus -mthumb -mfloat-abi=soft -L${CMAKE_CURRENT_LIST_DIR}/../common/cortex-m)
set(BOARD_ARCH cortex-m)
set(BOARD_LINKS uart dma usb)
set(BOARD_TRANSPORTS_uart pl011)
set(BOARD_TRANSPORTS_dma rp2040_uart_dma)
set(BOARD_TRANSPORTS_usb usb_cdc usb_rp2040)
set(BOARD_TRANSPORTS ${BOARD_TRANSPORTS_${KYMO_BOARD_LINK}})
set(BOARD_SOURCES_uart uart0.c)
set(BOARD_SOURCES_dma uart0.c)
set(BOARD_SOURCES_usb flash_id.S)
# The chip's 64-bit timer of 1 MHz stamps the events: TIMERAWL and TIMERAWH, the same for both cores.
set(BOARD_DEFINITIONS
    KYMO_LANES=1
    KYMO_RING_BYTES=65536
    KYMO_CLOCK_HZ=1000000
    KYMO_CLOCK=2
    KYMO_CLOCK_ADDRESS=0x40054028
    KYMO_CLOCK_HIGH_ADDRESS=0x40054024)
set(BOARD_SOURCES
    board.c boot2.S link_${KYMO_BOARD_LINK}.c ${BOARD_SOURCES_${KYMO_BOARD_LINK}}
    ../common/cortex-m/core.c ../common/cortex-m/start.S ../common/cortex-m/systick.c)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK ${KYMO_BOARD_LINK})
# Puts the second stage's checksum in and writes firmware.uf2 next to the image.
set(BOARD_FINISH python3 -B ${CMAKE_CURRENT_LIST_DIR}/image.py @IMAGE@)
set(BOARD_RUN ${CMAKE_CURRENT_LIST_DIR}/emulator.sh @IMAGE@ @SOCKET@ ${KYMO_BOARD_LINK})
