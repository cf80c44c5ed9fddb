#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# In place of addr2line: does what $FAKE_TOOL says. Its right answer for any address is the function "inner", inlined
# into "outer".
count=0
answer() {
    printf '%s\ninner\nin.c:7\nouter\n/src/out.c:12 (discriminator 3)\n' "$1"
}
while read -r address; do
    count=$((count + 1))
    case $FAKE_TOOL in
    hang) ;;
    wrapper) sleep 100 ;;
    held)
        until [ -e "$FAKE_TOOL_GO" ]; do sleep 0.01; done
        answer "$address"
        ;;
    late) [ $count -le 2 ] && answer "$address" ;;
    die) [ $count -le 2 ] && answer "$address" || exit 1 ;;
    babble) cat /dev/urandom ;;
    endless) yes inner ;;
    long) head -c 100000 /dev/zero | tr '\0' x ;;
    other) answer 0xdeadbeef ;;
    odd) printf '%s\ninner\n' "$address" ;;
    names) printf '%s\n\033[31mred\xff\n%s:99999999999\n' "$address" "$(printf 'd/%.0s' {1..900})" ;;
    template)
        printf '%s\n%s\n' "$address" "$(printf 'W<%.0s' {1..5000})"
        printf '/src/%s/out.c:12\n' "$(printf 'd/%.0s' {1..5000})"
        ;;
    deep) printf '%s\n' "$address" && for i in {1..100}; do printf 'f%s\nf.c:%s\n' "$i" "$i"; done ;;
    markup)
        printf '%s\ndeepest\n/k/include/kymo/tracy.h:9\nscope\n/k/tracy/common/KymoTracy.hpp:8\n' "$address"
        printf 'outer\nout.c:7\nlast\nkymo/macros.h:6\n'
        ;;
    markup_alone) printf '%s\ndeepest\n/k/kymo/kymo.h:9\nscope\n/k/kymo/macros.h:8\n' "$address" ;;
    unnamed) printf '%s\n??\nout.c:7\n' "$address" ;;
    unknown) printf '%s\n??\n??:0\n' "$address" ;;
    *) answer "$address" ;;
    esac
done
