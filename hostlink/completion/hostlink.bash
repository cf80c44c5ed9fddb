# SPDX-License-Identifier: MIT
# Completion of hostlink for bash: source it, or put it into bash-completion's folder as "hostlink".

_hostlink_files() {
    local file
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do
        COMPREPLY+=("$file")
    done < <(compgen -f -- "$1")
}

# The commands, by the program's own help.
_hostlink_commands() { hostlink help | sed -nE 's/^  ([a-z]+)  .*/\1/p'; }

# The options of a command, by its own help: lines "OPTION" or "OPTION ARGUMENT".
_hostlink_options() {
    hostlink help "$1" 2>/dev/null | sed -nE 's/^ +((-[a-zA-Z]), )?(--[a-z-]+)( ([^ ]+))?(  .*)?$/\2 \5\n\3 \5/p' | grep '^-'
}

# The command of the line; a source alone means capture.
_hostlink_command() {
    if _hostlink_commands | grep -qx -- "${COMP_WORDS[1]}"; then
        echo "${COMP_WORDS[1]}"
    else
        echo capture
    fi
}

_hostlink_sources() {
    local device
    for device in /dev/ttyUSB* /dev/ttyACM*; do
        [ -e "$device" ] && echo "$device"
    done
    echo "pty tcp: unix:"
}

_hostlink() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command options option argument
    COMPREPLY=()
    command=$(_hostlink_command)
    if [ "$command" = help ] && [ "$COMP_CWORD" -gt 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_hostlink_commands)" -- "$current")
        return
    fi
    options=$(_hostlink_options "$command")
    while read -r option argument; do
        if [ -n "$argument" ] && [ "$option" = "$before" ]; then
            # A number or a name is no file.
            [[ ! $argument =~ OUT|IMAGE|PROGRAM|FILE|DIR ]] || _hostlink_files "$current"
            return
        fi
    done <<<"$options"
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(cut -d' ' -f1 <<<"$options") $([ "$COMP_CWORD" -eq 1 ] && echo --version)" -- "$current")
        return
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_hostlink_commands) $(_hostlink_sources)" -- "$current")
    elif [[ $command == @(capture|run|doctor|top) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_hostlink_sources)" -- "$current")
    fi
    _hostlink_files "$current"
}

complete -F _hostlink hostlink
