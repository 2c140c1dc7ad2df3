# SPDX-License-Identifier: Apache-2.0
# Completion for fish: commands and options are read from the program's own help.
function __ulpine_commands
    ulpine --help 2>/dev/null | string match -rg '^  ([a-z][a-z-]*)  +(\S.*)$' | paste -d '\t' - -
end

function __ulpine_options
    set -l words (commandline -opc)
    test (count $words) -gt 1; and ulpine $words[2] --help 2>/dev/null | string match -rga -- '(--[a-z0-9-]+)' | sort -u
end

complete -c ulpine -n 'test (count (commandline -opc)) -eq 1' -f -a '(__ulpine_commands)'
complete -c ulpine -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "-*" (commandline -ct)' -f -a '(__ulpine_options)'
