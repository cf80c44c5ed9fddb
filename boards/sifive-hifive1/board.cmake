# As it stands the image is for the emulator. For the board itself: -DKYMO_SILICON=ON.
option(KYMO_SILICON "Build for the chip rather than for the emulator" OFF)
set(BOARD_TOOLCHAIN riscv64-unknown-elf)
set(BOARD_FLAGS -march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medlow)
set(BOARD_ARCH riscv)
set(BOARD_TRANSPORTS sifive_uart)
# The core has no time CSR, and its mtime ticks only each 30 us: so the cycle CSR. It runs at 16 MHz on the
# chip; in the emulator it has no rate that one could know, so that hostlink measures it.
set(BOARD_DEFINITIONS
    KYMO_RING_BYTES=4096
    KYMO_FRAME_BYTES=256
    KYMO_RISCV_CLOCK=1
    $<IF:$<BOOL:${KYMO_SILICON}>,KYMO_CLOCK_HZ=16000000,BOARD_EMULATED>)
set(BOARD_SOURCES board.c ../common/riscv/start.S ../common/riscv/clint.c ../common/riscv/semihosting.c)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK uart)
# TCP, for its large buffer: this emulated UART never says that it is full.
set(BOARD_RUN
    qemu-system-riscv32 -M sifive_e,revb=true -display none -monitor none
    -semihosting-config enable=on,target=native
    -serial tcp:127.0.0.1:@PORT@,server=on,wait=on -kernel @IMAGE@)
