#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Names the files that clang-format would change; with --fix changes them. Not one of the tests, since
# versions of clang-format differ; .clang-format is written for 14.
# Left out: headers whose macros and tables are laid out by hand.
set -u
cd "$(dirname "$0")/../.." || exit 1
by_hand='^runtime/include/kymo/(kymo|macros|message|site|site_cxx|wire)\.h$'
status=0

case ${1-} in
'' | --fix) ;;
*) echo "usage: tests/lint/format.sh [--fix]" >&2; exit 2 ;;
esac
command -v clang-format >/dev/null || { echo "clang-format is missing: install it" >&2; exit 1; }
while read -r file; do
    clang-format --dry-run -Werror "$file" 2>/dev/null && continue
    if [ "${1-}" = --fix ]; then
        clang-format -i "$file"
    else
        echo "$file"
        status=1
    fi
done < <(git ls-files '*.[ch]' '*.cpp' | grep -vE "$by_hand")
exit $status
