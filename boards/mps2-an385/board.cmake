# SPDX-License-Identifier: MIT
# KYMO_MPS2_IMAGE chooses the core in the FPGA: an385 a Cortex-M3, an500 a Cortex-M7, all else alike.
set(KYMO_MPS2_IMAGE an385 CACHE STRING "an385 or an500")
set(BOARD_CPU_an385 cortex-m3)
set(BOARD_CPU_an500 cortex-m7)
set(BOARD_TOOLCHAIN arm-none-eabi)
set(BOARD_FLAGS
    -mcpu=${BOARD_CPU_${KYMO_MPS2_IMAGE}} -mthumb -mfloat-abi=soft -L${CMAKE_CURRENT_LIST_DIR}/../common/cortex-m)
set(BOARD_ARCH cortex-m)
set(BOARD_TRANSPORTS cmsdk_uart)
# The ring holds all that a run records, so that nothing is lost however slow the reader is.
set(BOARD_DEFINITIONS
    KYMO_LANES=1
    KYMO_RING_BYTES=1048576
    KYMO_CLOCK_HZ=25000000)
set(BOARD_SOURCES
    board.c ../common/cortex-m/core.c ../common/cortex-m/start.S ../common/cortex-m/cmsdk_timer.c)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK uart)
set(BOARD_RUN
    qemu-system-arm -M mps2-${KYMO_MPS2_IMAGE} -display none -monitor none
    -semihosting-config enable=on,target=native
    -serial unix:@SOCKET@,server=on,wait=on -kernel @IMAGE@)
