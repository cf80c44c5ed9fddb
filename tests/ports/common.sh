# SPDX-License-Identifier: MIT
# Sourced by the check.sh of each port, from the root: what they have in common. Sets the flags and the sources of
# the contract test, without those of the port, and "failed".

# shellcheck disable=SC2034
contract=(tests/ports/contract.c tests/ports/callstack.c)
# shellcheck disable=SC2034,SC2054
flags=(-std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef
    -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Werror -ffreestanding -nostdlib -static
    -Wl,--build-id=none -Wl,--no-warn-rwx-segments -Iruntime/include -Itests/ports)
failed=0

# need PACKAGES PROGRAM ...: ends the test where one is missing.
need() {
    local program
    for program in "${@:2}"; do
        command -v "$program" >/dev/null || {
            echo "$program is missing: install $1 (tests/run.sh does)"
            exit 1
        }
    done
}

# judge NAME STATUS: judges a run; the status is 0 or the defect's number (contract.h).
judge() {
    echo "$1: $2"
    [ "$2" -eq 0 ] || failed=1
}
