# SPDX-License-Identifier: MIT
# Completion of hostlink for fish: put it into a folder of $fish_complete_path. The program's own help is the list.

function __hostlink_command
    set -l words (commandline -opc)
    set -l commands (hostlink --help | string replace -rf '^  ([a-z]+)  +.*' '$1')
    contains -- "$words[2]" $commands; and echo $words[2]; or echo capture
end

function __hostlink_options
    hostlink help (__hostlink_command) | string replace -rf '^ +(?:-., )?(--[a-z-]+)(?: \S+)?(?:  +(.*))?$' '$1\t$2'
end

complete -c hostlink -n __fish_is_first_arg -a "(hostlink --help | string replace -rf '^  ([a-z]+)  +(.*)' '\$1\t\$2')"
complete -c hostlink -n 'string match -q -- "-*" (commandline -ct)' -a '(__hostlink_options)'
