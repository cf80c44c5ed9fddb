# SPDX-License-Identifier: MIT
set(BOARD_TOOLCHAIN arm-none-eabi)
set(BOARD_FLAGS -mcpu=cortex-m4 -mthumb -mfloat-abi=soft -L${CMAKE_CURRENT_LIST_DIR}/../common/cortex-m)
set(BOARD_ARCH cortex-m)
set(BOARD_TRANSPORTS stm32_usart)
set(BOARD_DEFINITIONS
    KYMO_LANES=1
    KYMO_RING_BYTES=32768
    KYMO_CLOCK_HZ=168000000)
set(BOARD_SOURCES board.c ../common/cortex-m/core.c ../common/cortex-m/start.S ../common/cortex-m/systick.c)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK uart)
# The first serial port of the emulator is USART1, the second USART2.
set(BOARD_RUN
    qemu-system-arm -M netduinoplus2 -display none -monitor none
    -semihosting-config enable=on,target=native
    -serial null -serial unix:@SOCKET@,server=on,wait=on -kernel @IMAGE@)
