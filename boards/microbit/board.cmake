# SPDX-License-Identifier: MIT
set(BOARD_TOOLCHAIN arm-none-eabi)
set(BOARD_FLAGS -mcpu=cortex-m0 -mthumb -mfloat-abi=soft -L${CMAKE_CURRENT_LIST_DIR}/../common/cortex-m)
set(BOARD_ARCH cortex-m)
set(BOARD_TRANSPORTS nrf_uart)
# The chip has no SysTick. TIMER0 stamps the events: 32 bits at 16 MHz; a write to TASKS_CAPTURE[0] puts
# its count into CC[0].
set(BOARD_DEFINITIONS
    KYMO_LANES=1
    KYMO_RING_BYTES=4096
    KYMO_PACKET_BYTES=256
    KYMO_CLOCK_HZ=16000000
    KYMO_CLOCK=4
    KYMO_CLOCK_ADDRESS=0x40008540)
set(BOARD_SOURCES board.c ../common/cortex-m/core.c ../common/cortex-m/start.S)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK uart)
set(BOARD_RUN
    qemu-system-arm -M microbit -display none -monitor none
    -semihosting-config enable=on,target=native
    -serial unix:@SOCKET@,server=on,wait=on -kernel @IMAGE@)
