# SPDX-License-Identifier: MIT
set(BOARD_TOOLCHAIN arm-none-eabi)
set(BOARD_FLAGS -mcpu=cortex-m33 -mthumb -mfloat-abi=soft -L${CMAKE_CURRENT_LIST_DIR}/../common/cortex-m)
set(BOARD_ARCH cortex-m)
set(BOARD_TRANSPORTS cmsdk_uart)
# The ring holds all that a run records, so that nothing is lost however slow the reader is.
set(BOARD_DEFINITIONS
    KYMO_LANES=1
    KYMO_RING_BYTES=524288
    KYMO_CLOCK_HZ=20000000)
set(BOARD_SOURCES board.c ../common/cortex-m/core.c ../common/cortex-m/start.S ../common/cortex-m/cmsdk_timer.c)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK uart)
set(BOARD_RUN
    qemu-system-arm -M mps2-an505 -display none -monitor none
    -semihosting-config enable=on,target=native
    -serial unix:@SOCKET@,server=on,wait=on -kernel @IMAGE@)
