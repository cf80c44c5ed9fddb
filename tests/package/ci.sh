#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The job of doc/ci.md, as its files have it: within its budget, the same in a second run, and not with a slower firmware.
# Usage: ci.sh HOSTLINK
set -u
cd "$(dirname "$0")/../.." || exit 1
top=$PWD
export KYMO=$top HOSTLINK
HOSTLINK=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/kymo.XXXXXX") && trap 'rm -rf "$work"' EXIT
cp -r doc/your-own-board "$work/mine" && cd "$work/mine" || exit 1

fail() {
    echo "FAILED: $1"
    tail -n 40 log
    exit 1
}

# job WANTED: the command found in both files of jobs.
command=$(sed -n 's/^ *- run: \([^|]*\)$/\1/p' ci/github.yml)
grep -qxF "    - $command" ci/gitlab-ci.yml || { echo "two commands"; exit 1; }
job() {
    GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$work/summary.md sh -c "$command" >log 2>&1
    [ $? -eq "$1" ] || fail "status"
}

job 0
# Files that the servers are told to take exist.
for file in $(sed -n 's/^ *\(sarif_file\|path\|junit\): \(.*\)$/\2/p' ci/github.yml ci/gitlab-ci.yml); do
    [ -e "$file" ] || fail "no $file"
done
grep -q '^[0-9]* limits checked, 0 exceeded$' "$work/summary.md" || fail "no summary"
mv results first

# Whatever was built there before, it is the board of the job.
echo "the settings of another board" >build/settings
: >build/firmware.elf
job 0
cmp first/trace.bin results/trace.bin || fail "another trace in the second run"

# A hundredth more of "step" is named; twice of it is over its budget.
sed -i 's/i < 100u/i < 101u/' app.c
job 0
"$HOSTLINK" compare first/run.kymo results/run.kymo >log || fail "compare"
grep -qE '^slower +zone +step +400 +400 ' log || fail "a hundredth is not named"
sed -i 's/i < 101u/i < 200u/' app.c
job 7
grep -qE '^::error file=ci/budget.txt,line=2,title=zone step max::measured ' log || fail "no annotation"
grep -q '"ruleId":"zone-max"' results/budget.sarif || fail "no result"
echo passed
