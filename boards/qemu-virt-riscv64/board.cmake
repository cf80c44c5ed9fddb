set(BOARD_TOOLCHAIN riscv64-unknown-elf)
set(BOARD_FLAGS -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany)
set(BOARD_ARCH riscv)
set(BOARD_TRANSPORTS ns16550)
# A ring holds all that its core records in a run, so that nothing is lost however slow the reader is:
# there is RAM enough. The time CSR counts at 10 MHz.
set(BOARD_DEFINITIONS
    KYMO_LANES=2
    KYMO_RING_BYTES=1048576
    KYMO_CLOCK_HZ=10000000)
set(BOARD_SOURCES board.c ../common/riscv/start.S ../common/riscv/clint.c)
set(BOARD_LINKER_SCRIPT link.ld)
set(BOARD_LINK uart plug)
set(BOARD_RUN
    qemu-system-riscv64 -M virt -smp 2 -bios none -display none -monitor none
    -serial unix:@SOCKET@,server=on,wait=on -kernel @IMAGE@)
