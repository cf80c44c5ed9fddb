#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes kymo as two files, kymo.c and kymo.h, for one arch port and one or more transports: to drag into a project
# whose build cannot take a folder. Compile kymo.c with your own options and include kymo.h.
set -eu
usage() {
    cat <<'TEXT'
Usage: runtime/amalgamate.sh ARCH [TRANSPORT ...] [-D KNOB=VALUE ...] [-o DIR]
Writes DIR/kymo.c and DIR/kymo.h (default: the current folder), for example
    runtime/amalgamate.sh cortex-m stm32_usart -D KYMO_RING_BYTES=4096 -o my_project
ARCH is a folder of ports/arch, TRANSPORT a name of the list in ports/CMakeLists.txt. Knobs are those of
runtime/include/kymo/config.h and of the port's kymo_arch.h; they stand at the head of kymo.h, where they can be
changed later.
TEXT
}
die() {
    echo "runtime/amalgamate.sh: $1" >&2
    exit 2
}

top=$(cd "$(dirname "$0")/.." && pwd)
out=. arch='' transports='' knobs=''
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage; exit 0 ;;
    -o | -D) [ $# -ge 2 ] || die "$1 needs an argument; see --help" ;;
    esac
    case $1 in
    -o) out=$2; shift ;;
    -D) knobs="$knobs $2"; shift ;;
    -D*) knobs="$knobs ${1#-D}" ;;
    -*) die "unknown option '$1'; see --help" ;;
    *) if [ -z "$arch" ]; then arch=$1; else transports="$transports $1"; fi ;;
    esac
    shift
done
[ -n "$arch" ] || die "needs an arch port; see --help"

# shellcheck disable=SC2086 # a list of names
sources=$("$top/runtime/sources.sh" "$arch" $transports) || exit 2
arch_sources=$(echo "$sources" | grep '^ports/arch/' | sed "s|^|$top/|" || true)
drivers=$(echo "$sources" | grep -E '^ports/(transport|net|usb|vendor)/' | sed "s|^|$top/|" || true)
unwinders=$(echo "$sources" | grep '^ports/unwind/' | sed "s|^|$top/|")
folders="$top/runtime/include:$top/runtime/src:$top/ports/arch/$arch:$top/ports/transport:$top/ports/net:$top/ports/usb"
folders="$folders:$top/ports/vendor"
# The names that kymo_check_knobs() of runtime/CMakeLists.txt takes.
for knob in $knobs; do
    grep -hE '^# *ifn?def KYMO_|defined\(KYMO_|^ \*   KYMO_' "$top"/runtime/include/kymo/*.h "$top/ports/arch/$arch"/*.h \
        "$top"/ports/*/*.h "$top"/ports/*/*.c | grep -qE "[^A-Z0-9_]${knob%%=*}([^A-Z0-9_]|\$)" ||
        die "no knob is called ${knob%%=*}: see runtime/include/kymo/config.h and ports/arch/$arch/kymo_arch.h"
done

work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
: >"$work/whole"

# expand FILE: the file with kymo's headers in place of their #include lines. A header that stood in full before, under
# no condition except its own guard, is left out; the file "whole" lists those headers.
expand() {
    awk -v folders="$folders" -v list="$work/whole" '
    function find(name, beside, i, n, at, path, line) {
        n = split(beside ":" folders, at, ":")
        for (i = 1; i <= n; i++) {
            path = at[i] "/" name
            while (sub(/[^\/]+\/\.\.\//, "", path)) ;
            if ((getline line < path) >= 0) { close(path); return path }
        }
        return ""
    }
    function emit(path, outer, line, name, depth, guard, found, beside) {
        depth = 0; guard = 0
        beside = path; sub(/\/[^\/]*$/, "", beside)
        while ((getline line < path) > 0) {
            if (line ~ /^# *(if|ifdef|ifndef)([ (]|$)/) {
                depth++
                if (depth == 1 && line ~ /^#ifndef [A-Z0-9_]+_H$/) guard = 1
            } else if (line ~ /^# *endif/) {
                if (--depth == 0) guard = 0
            } else if (line ~ /^#include "/) {
                name = line; sub(/^#include "/, "", name); sub(/".*/, "", name)
                found = find(name, beside)
                if (found != "") {
                    if (!(found in whole)) {
                        if (outer + depth - guard == 0) { whole[found] = 1; print found >> list }
                        emit(found, outer + depth - guard)
                    }
                    continue
                }
            }
            print line
        }
        close(path)
    }
    BEGIN {
        while ((getline line < list) > 0) whole[line] = 1
        close(list)
        emit(ARGV[1], 0)
    }' "$1"
}

# own_names FILE PREFIX: the file with its own names (static functions and variables, macros, enumerators, tags) changed
# to PREFIX_NAME: ports have such names in common, with each other and with the runtime. Members keep theirs.
own_names() {
    awk -v prefix="$2" '
    function note(name) { if (name !~ /^(kymo|KYMO)_/ && name != "") own[name] = 1 }
    function note_definition(line, name) {
        gsub(/__attribute__\(\(.*\)\)/, "", line)
        if (line ~ /^static [a-z ]*(struct|union|enum)( [a-z0-9_]+)? \{$/) { in_type = 1 }
        if (in_type) {
            if (line !~ /^\}/) return
            in_type = 0
            name = line; sub(/^\} */, "", name); sub(/[^A-Za-z0-9_].*/, "", name); note(name)
        } else if (line ~ /^ *# *define /) {
            name = line; sub(/^ *# *define /, "", name); sub(/[^A-Za-z0-9_].*/, "", name)
            if (before !~ "^ *# *ifndef " name "($|[^A-Za-z0-9_])") note(name) # else of the system, where it has none
        } else if (line ~ /^(struct|enum|union) [a-z0-9_]+ \{/) {
            split(line, part, " "); note(part[2])
        } else if (line ~ /^(static|_Thread_local) / || pending) {
            name = line; sub(/\{.*\}/, "", name); sub(/[(=;[].*/, "", name); sub(/ *$/, "", name); sub(/.*[ *]/, "", name)
            if (line ~ /[(=;[]/) note(name)
            pending = line !~ /[(=;[]/
        }
        if (line ~ /^enum / || in_enum) {
            in_enum = line !~ /\}/
            sub(/.*\{/, "", line)
            while (match(line, /[A-Z][A-Z0-9_]*( *=[^,]*)?(,|\}|$)/)) {
                name = substr(line, RSTART, RLENGTH); sub(/[^A-Z0-9_].*/, "", name); note(name)
                line = substr(line, RSTART + RLENGTH)
            }
        }
    }
    function rename(line, out, word, before) {
        out = ""
        while (match(line, /"([^"\\]|\\.)*"|[A-Za-z_][A-Za-z0-9_]*/)) {
            word = substr(line, RSTART, RLENGTH)
            before = out substr(line, 1, RSTART - 1)
            out = before (word in own && before !~ /(\.|->)$/ && before !~ /^#include/ ? prefix "_" word : word)
            line = substr(line, RSTART + RLENGTH)
        }
        return out line
    }
    FNR == NR { note_definition($0); before = $0; next }
    { print rename($0) }' "$1" "$1"
}

# The header that an application includes.
{
    echo "/* kymo for $arch:$transports. Made by runtime/amalgamate.sh. What an application includes. */"
    echo "#ifndef KYMO_AMALGAMATED_H"
    echo "#define KYMO_AMALGAMATED_H"
    for knob in $knobs; do
        name=${knob%%=*} value=${knob#*=}
        [ "$value" != "$knob" ] || value=1
        printf '#ifndef %s\n#define %s %s\n#endif\n' "$name" "$name" "$value"
    done
    echo '#include "kymo/kymo.h"'
    echo '#include "kymo_arch.h"'
    for header in counters functions limits sample tasks zone_counters; do
        echo "#include \"kymo/$header.h\""
    done
    find "$top/ports/arch/$arch" -name 'kymo_*_sample.h' | sed 's|.*/\(.*\)|#include "\1"|'
    for driver in $drivers; do
        header=${driver%.c}.h
        [ ! -f "$header" ] || echo "#include \"$(basename "$header")\""
    done
    echo "#endif"
} >"$work/amalgamated.h"
{
    echo "/* kymo for $arch:$transports. Made by runtime/amalgamate.sh. */"
    echo "$sources" | sed -n 's|^runtime/src/\(.*\)|#include "\1"|p'
    for file in $arch_sources $unwinders $drivers; do
        name=$(basename "$file" .c)
        case $file in */arch/*/sample.c) name=arch_sample ;; esac
        own_names "$file" "$name" >"$work/$name.c"
        echo "#include \"$work/$name.c\""
    done
} >"$work/amalgamated.c"
folders="$folders:/"
mkdir -p "$out"
expand "$work/amalgamated.h" >"$out/kymo.h"
{
    # Before the first header of the system.
    ! echo "$arch_sources" | xargs grep -qs '^#define _GNU_SOURCE' || printf '#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n'
    echo '#include "kymo.h"'
    echo '/* What headers offer is not all used, and files have names of variables in common. */'
    echo '#if defined(__GNUC__)'
    echo '#pragma GCC diagnostic ignored "-Wunused-function"'
    echo '#pragma GCC diagnostic ignored "-Wshadow"'
    echo '#endif'
    expand "$work/amalgamated.c"
} >"$out/kymo.c"
