# SPDX-License-Identifier: MIT
# Completion of hostlink for bash: source it, or put it into bash-completion's folder as "hostlink".

_hostlink_files() {
    local file
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        COMPREPLY+=("$file")
    done < <(compgen -f -- "$1")
}

# The options of a command, and which of them take an argument.
_hostlink_options() {
    case $1 in
    capture) echo "-o --output -b --baud --rtscts --dtr --rts --duration --idle --keep --reconnect --no-reconnect --set -e --elf --symbolizer --key
        --large --no-commands --tracy --no-tracy --tracy-announce --tracy-release --source --wait --timeout --metrics -q --quiet --help" ;;
    run) echo "$(_hostlink_options capture) --first" ;;
    doctor) echo "-b --baud --rtscts --dtr --rts --duration -e --elf --key --no-commands --help" ;;
    top) echo "-b --baud --rtscts --dtr --rts --duration --interval -e --elf --key --no-commands --help" ;;
    list) echo "--json --listen --no-network --help" ;;
    dump) echo "-e --elf --symbolizer -a --address -o --output -q --quiet --help" ;;
    convert) echo "--from --to --zone --context -e --elf --symbolizer --large -o --output -q --quiet --help" ;;
    stats) echo "--csv --json --flows --frames --interrupts --late --locks --longest --memory --messages --openmetrics --level --text --plots --silences --from --to --zone --context --sort --top --stacks --samples --tasks -e --elf --symbolizer --help" ;;
    import) echo "-e --elf --format -o --output -q --quiet --help" ;;
    check) echo "--budget --write-budget --csv --json --junit --sarif --bencher --github-benchmark --github --from --to --zone --context -e --elf --symbolizer --help" ;;
    open) echo "--viewer --report --tracy --print -e --elf --symbolizer -q --quiet --help" ;;
    report) echo "--from --to --zone --context -e --elf --symbolizer -o --output -q --quiet --help" ;;
    compare) echo "--csv --json -o --output --memory --samples --sort --threshold --top --from --to --zone --context -e --elf --symbolizer --help" ;;
    symbols) echo "-e --elf --symbolizer --help" ;;
    lines) echo "--csv -e --elf --instructions --objdump --source --symbolizer --help" ;;
    merge) echo "-o --output -q --quiet --help" ;;
    info) echo "-e --elf --help" ;;
    serve) echo "-e --elf --symbolizer --tracy --tracy-announce --tracy-release --source --timeout --keep -q --quiet --help" ;;
    esac
}

_hostlink_takes_argument() {
    case $1:$2 in
    *:--from | *:--to | *:--zone | *:--context | *:--duration | *:--interval | *:--idle | *:--dtr | *:--rts | *:--listen | *:--set | *:-b | *:--baud | *:--tracy | *:--tracy-release | *:--source | *:--timeout | *:--metrics) return 0 ;;
    dump:-a | dump:--address | import:--format | stats:--longest | stats:--late | stats:--level | stats:--text | stats:--sort | stats:--top | compare:--sort | compare:--threshold | compare:--top) return 0 ;;
    esac
    return 1
}

# The command of the line; a source alone means capture.
_hostlink_command() {
    case ${COMP_WORDS[1]} in
    run | list | top | doctor | convert | stats | report | open | info | serve | dump | symbols | lines | check | compare | import | merge | help) echo "${COMP_WORDS[1]}" ;;
    *) echo capture ;;
    esac
}

_hostlink_sources() {
    local device
    for device in /dev/ttyUSB* /dev/ttyACM*; do
        [ -e "$device" ] && echo "$device"
    done
    echo "pty tcp: unix:"
}

_hostlink() {
    local commands="capture run list top doctor convert stats report open info serve dump symbols lines check compare import merge help"
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command
    COMPREPLY=()
    command=$(_hostlink_command)
    if _hostlink_takes_argument "$command" "$before"; then
        return
    fi
    if [ "$command" = help ] && [ "$COMP_CWORD" -gt 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
        return
    fi
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_hostlink_options "$command") $([ "$COMP_CWORD" -eq 1 ] && echo --version)" -- "$current")
        return
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands $(_hostlink_sources)" -- "$current")
    elif [[ $command == @(capture|run|doctor|top) ]] && [[ $before != -o && $before != --output && $before != --key && $before != -e && $before != --elf && $before != --symbolizer ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_hostlink_sources)" -- "$current")
    fi
    _hostlink_files "$current"
}

complete -F _hostlink hostlink
