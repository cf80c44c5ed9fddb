# SPDX-License-Identifier: MIT
# Sourced by tests/run.sh and boards/demo.sh: the one list of programs that kymo's scripts need;
# kymo_setup, which installs the missing ones on Debian and Ubuntu and elsewhere says which to install;
# and kymo_configure.

# For what (demo: boards/demo.sh, which also needs what its board names, test: tests/run.sh, which needs all), how it is seen to be there
# (a command, a header with its suffix, a part of clang's runtime, or a path), Debian packages in order of preference.
kymo_needs='
demo cmake                    cmake
demo ninja                    ninja-build
demo gcc                      gcc
test python3                  python3
test /usr/lib/python3/dist-packages/jsonschema python3-jsonschema
test /usr/lib/python3/dist-packages/prometheus_client python3-prometheus-client
test /usr/lib/python3/dist-packages/bt2 python3-bt2
test riscv64-unknown-elf-gcc  gcc-riscv64-unknown-elf
test qemu-system-riscv64      qemu-system-riscv,qemu-system-misc
demo stdlib.h                 libc6-dev
test qemu-system-riscv32      qemu-system-riscv,qemu-system-misc
test x86_64-linux-gnu-gcc     gcc
test qemu-system-x86_64       qemu-system-x86
test arm-none-eabi-gcc        gcc-arm-none-eabi
test qemu-system-arm          qemu-system-arm
test aarch64-linux-gnu-gcc    gcc-aarch64-linux-gnu
test qemu-system-aarch64      qemu-system-arm
test riscv64-linux-gnu-gcc    gcc-riscv64-linux-gnu
test /usr/riscv64-linux-gnu/include/stdio.h libc6-dev-riscv64-cross
test /usr/aarch64-linux-gnu/include/stdio.h libc6-dev-arm64-cross
test riscv64-linux-gnu-g++    g++-riscv64-linux-gnu
test qemu-riscv64             qemu-user
test qemu-aarch64             qemu-user
test g++                      g++
test x86_64-w64-mingw32-gcc   gcc-mingw-w64-x86-64
test wine                     wine
test musl-gcc                 musl-tools
test pip3                     python3-pip
test dpkg-deb                 dpkg
test riscv64-unknown-elf-g++  gcc-riscv64-unknown-elf
test /usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs picolibc-riscv64-unknown-elf
test arm-none-eabi-g++        gcc-arm-none-eabi
test aarch64-linux-gnu-g++    g++-aarch64-linux-gnu
test x86_64-linux-gnu-g++     g++
test clang++                  clang
test git                      git
test clang                    clang
test libclang_rt.asan.a       libclang-rt-dev,clang
test ld.lld                   lld
test cmocka.h                 libcmocka-dev
test lz4.h                    liblz4-dev
test lwip/lwipopts.h          liblwip-dev
test protoc                   protobuf-compiler
test mandoc                   mandoc
test node                     nodejs
test npm                      npm
test chromium                 chromium
test busybox                  busybox-static
test cpio                     cpio
test meson                    meson
test make                     make
test openocd                  openocd
test gdb-multiarch            gdb-multiarch
test valgrind                 valgrind
test spin                     spin
'

kymo_is_there() {
    case $1 in
    /*) [ -e "$1" ] ;;
    libclang_rt.*) [ -e "$(clang -print-file-name="${1%.a}-$(uname -m).a" 2>/dev/null)" ] ;;
    *.h) printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <%s>\n' "$1" |
        gcc -E - >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# Prints "command packages" of all that is missing for $1, and of the programs $2 and so on.
kymo_missing() {
    local whom what packages
    while read -r whom what packages; do
        [ -n "$whom" ] || continue
        [ "$1" = test ] || [ "$whom" = "$1" ] || [[ " ${*:2} " == *" $what "* ]] || continue
        kymo_is_there "$what" || echo "$what $packages"
    done <<<"$kymo_needs"
}

# The first of the comma-separated packages that this release has.
kymo_package() {
    local package
    for package in ${1//,/ }; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            echo "$package"
            return
        fi
    done
    echo "${1##*,}"
}

# Root, directly or by sudo without a question.
kymo_as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

kymo_can_install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null
}

# kymo_setup demo|test LOGFILE [PROGRAM ...]: the programs, by their names in the list, besides.
kymo_setup() {
    local missing what packages install=()
    missing=$(kymo_missing "$1" "${@:3}")
    [ -n "$missing" ] || return 0
    if ! kymo_can_install; then
        echo "Missing, to be installed by hand (names of the Debian packages on the right):" >&2
        while read -r what packages; do
            printf '  %-26s %s\n' "$what" "${packages//,/ or }" >&2
        done <<<"$missing"
        return 1
    fi
    echo "Installing: $(cut -d' ' -f1 <<<"$missing" | tr '\n' ' ')(log: $2)"
    kymo_as_root apt-get update -o Acquire::Retries=5 >"$2" 2>&1 || true
    while read -r what packages; do
        install+=("$(kymo_package "$packages")")
    done <<<"$missing"
    if ! kymo_again kymo_as_root apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Acquire::Retries=5 \
        "${install[@]}" >>"$2" 2>&1; then
        tail -n 20 "$2" >&2
        echo "apt-get install ${install[*]} failed; the whole log is $2" >&2
        return 1
    fi
    missing=$(kymo_missing "$1" "${@:3}")
    [ -z "$missing" ] || {
        echo "Still missing after the installation: $missing" >&2
        return 1
    }
}

# kymo_again COMMAND ...: up to three times, as a download may fail once.
kymo_again() {
    "$@" || { sleep 5 && "$@"; } || { sleep 20 && "$@"; }
}

# kymo_configure TREE [ARGUMENT ...]: build/TREE, from the preset of that name or for the board of that name.
kymo_configure() {
    if grep -q "\"name\": \"$1\"" CMakePresets.json; then
        cmake --preset "$1" "${@:2}"
    else
        cmake -G Ninja -B "build/$1" -DKYMO_BOARD="$1" -DKYMO_WERROR=ON -DKYMO_TESTS=ON "${@:2}"
    fi
}
