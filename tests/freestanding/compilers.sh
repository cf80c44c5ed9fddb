# SPDX-License-Identifier: MIT
# Sourced: the compilers and cores that kymo promises to need nothing but. Sets the flags and the sources.

freestanding_flags=(-std=c11 -ffreestanding -ffunction-sections -fdata-sections -Wall -Wextra -Wpedantic
    -Wconversion -Wsign-conversion -Wshadow -Wundef -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual
    -Wdouble-promotion -Wvla -fno-common -Werror -Iruntime/include -Iports/transport)

# name | compiler and target | port and its definitions
freestanding_targets='
gcc-rv64        riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany            |riscv KYMO_LANES=2
gcc-rv32        riscv64-unknown-elf-gcc -march=rv32imac_zicsr -mabi=ilp32                           |riscv KYMO_LANES=2
gcc-rv32-no-a   riscv64-unknown-elf-gcc -march=rv32imc_zicsr -mabi=ilp32                            |riscv KYMO_LANES=1
gcc-rv64-user   riscv64-unknown-elf-gcc -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany            |riscv KYMO_LANES=1 KYMO_PRIVILEGE=0
clang-rv64      clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mcmodel=medany -mno-relax -fuse-ld=lld |riscv KYMO_LANES=2
clang-rv32      clang --target=riscv32-unknown-elf -march=rv32imac -mabi=ilp32 -mno-relax -fuse-ld=lld |riscv KYMO_LANES=2
gcc-cortex-m4   arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb                                           |cortex-m KYMO_LANES=1
gcc-cortex-m33  arm-none-eabi-gcc -mcpu=cortex-m33 -mthumb                                          |cortex-m KYMO_LANES=1
clang-cortex-m4 clang --target=thumbv7em-none-eabi -fuse-ld=lld                                     |cortex-m KYMO_LANES=1
gcc-aarch64     aarch64-linux-gnu-gcc -mno-outline-atomics -fno-pic -no-pie -fno-stack-protector      |aarch64 KYMO_LANES=2
clang-aarch64   clang --target=aarch64-none-elf -mno-outline-atomics -fno-stack-protector -fuse-ld=lld |aarch64 KYMO_LANES=2
gcc-armv7-a     arm-none-eabi-gcc -mcpu=cortex-a7 -marm                                             |armv7-a KYMO_LANES=2
gcc-armv7-a-t2  arm-none-eabi-gcc -mcpu=cortex-a15 -mthumb                                          |armv7-a KYMO_LANES=2
clang-armv7-a   clang --target=armv7a-none-eabi -mcpu=cortex-a7 -mfloat-abi=soft -fuse-ld=lld       |armv7-a KYMO_LANES=2
gcc-x86-64      x86_64-linux-gnu-gcc -m64 -mno-red-zone -mgeneral-regs-only -fno-pic -no-pie -fno-stack-protector |x86 KYMO_LANES=2
gcc-i386        x86_64-linux-gnu-gcc -m32 -mgeneral-regs-only -fno-pic -no-pie -fno-stack-protector |x86 KYMO_LANES=1
clang-x86-64    clang --target=x86_64-none-elf -mno-red-zone -mgeneral-regs-only -fno-pic -fno-stack-protector -fuse-ld=lld |x86 KYMO_LANES=2
'

# freestanding_each FUNCTION: calls FUNCTION NAME COMPILER ... for each target, with the port's flags; its
# name is in freestanding_port meanwhile.
freestanding_each() {
    local left right name command words definitions status=0
    while IFS='|' read -r left right; do
        [ -n "$left" ] || continue
        read -r name command <<<"$left"
        read -ra words <<<"$command"
        read -ra definitions <<<"$right"
        command -v "${words[0]}" >/dev/null || {
            echo "$name: ${words[0]} is missing; tests/run.sh installs it"
            return 1
        }
        freestanding_port=${definitions[0]}
        definitions=("${definitions[@]:1}")
        "$1" "$name" "${words[@]}" "-Iports/arch/$freestanding_port" "${definitions[@]/#/-D}" || status=1
    done <<<"$freestanding_targets"
    return $status
}

# freestanding_is_repeated NAME: a core whose code differs little from that of another core of the same compiler and family.
# link.sh takes it with every knob on; the checks that look at sources take the other core alone.
freestanding_is_repeated() {
    case $1 in
    gcc-rv32 | gcc-rv32-no-a | gcc-rv64-user | clang-rv32 | gcc-cortex-m33 | gcc-armv7-a-t2 | gcc-i386) ;;
    *) return 1 ;;
    esac
}

# freestanding_as_one FILE: makes it one source with the whole runtime in it, which compiles in a tenth of the time.
freestanding_as_one() { freestanding_sources | sed "s|.*|#include \"$PWD/&\"|" >"$1"; }

# Every knob that brings code of its own.
freestanding_knobs=(-DKYMO_DYNAMIC_SITES=8 -DKYMO_LARGE=4 -DKYMO_TASKS=4 -DKYMO_CLOCK_CHANGES=1 -DKYMO_DEVICES=1 -DKYMO_CONTEXTS=4 -DKYMO_CALLSTACKS=16
    -DKYMO_SAMPLE_HZ_MAX=1000 -DKYMO_FUNCTIONS=8 -DKYMO_CHECK=8 "-DKYMO_COMMAND_KEY=$(echo 0x{10..25} | tr ' ' ,)")

# freestanding_smallest COMPILER: its level of the smallest code, at which it calls most helpers.
freestanding_smallest() { case $1 in clang*) echo -Oz ;; *) echo -Os ;; esac; }

# Names without the prefix that objects may have, as an expression for all that follows a name's first letter: what a
# linker makes, what compilers call where functions are zones, and on Arm the compiler's mark that an object has unwinding
# tables.
freestanding_expected='kymo_|__cyg_profile_func_(enter|exit)( |$)|KYMO_|__(start|stop)_kymo_|__exidx_(start|end)( |$)|__aeabi_unwind_cpp_pr[01]( |$)'

# The runtime's sources, from its one list.
freestanding_sources() { sed -nE 's|^.*[ (](src/[a-z]+/[a-z_0-9]+\.c).*$|runtime/\1|p' runtime/CMakeLists.txt; }

# freestanding_cxx COMPILER OPTION ...: the same compiler for C++, in freestanding_cxx_command; and its flags.
freestanding_cxx() {
    local command=$1
    case $command in
    clang*) command=${command/clang/clang++} ;;
    *) command=${command/%gcc/g++} ;;
    esac
    command -v "$command" >/dev/null || {
        echo "$command is missing; tests/run.sh installs it"
        return 1
    }
    freestanding_cxx_command=("$command" "${@:2}")
}
freestanding_cxx_flags=(-std=c++11 -fno-exceptions -fno-rtti -fno-threadsafe-statics)
for freestanding_flag in "${freestanding_flags[@]}"; do
    case $freestanding_flag in -std=* | -Wstrict-prototypes | -Wmissing-prototypes) ;; *)
        freestanding_cxx_flags+=("$freestanding_flag") ;;
    esac
done
