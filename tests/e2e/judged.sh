# SPDX-License-Identifier: MIT
# Sourced after tests/e2e/begin.sh: judged LINK BUILD HOSTLINK boots the board's image, captures it by
# kymo_capture, and judges every output against the firmware's own counts. With another program in place
# of the demo, KYMO_JUDGE is the command that judges. KYMO_ELF has the names of a board that does not send them.
judged() {
    local build=$2 hostlink=$3 out=$2/e2e.$1 files suffix
    begin "$out" "$hostlink"
    files=(-o "$out/demo.pftrace" -o "$out/demo.json" -o "$out/demo.csv")
    capture ${KYMO_ELF:+--elf "$KYMO_ELF"} -o "$out/demo.kymo" "${files[@]}" \
       

    mkdir "$out/again"
    "$hostlink" convert "$out/demo.kymo" "${files[@]//$out/$out/again}" >"$out/convert.out" 2>&1 || {
        cat "$out/convert.out"
        exit 1
    }

    if [ -n "${KYMO_JUDGE:-}" ]; then
        $KYMO_JUDGE "$out"
        return
    fi
    python3 tests/e2e/judge.py "$out" || return 1
    # The same bytes need no second judgement.
    for suffix in pftrace json csv; do
        cmp -s "$out/demo.$suffix" "$out/again/demo.$suffix" || {
            python3 tests/e2e/judge.py "$out" again
            return
        }
    done
}
