# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion for bash: commands, options, policies, cores and keys are what the program itself says.

# Names of keys of a core, and of all cores, that no case has to choose.
_ulpine_keys() {
  { "$1" cases --keys "$2"; "$1" cases --keys common; } 2>/dev/null | sed -n 's/^  \([A-Za-z0-9_.][A-Za-z0-9_.]*\) .*/\1/p'
}

# The core of the case file on the line.
_ulpine_core() {
  local word
  for word in "${COMP_WORDS[@]}"; do
    [[ $word == *.toml && -f $word ]] && sed -n 's/^core *= *"\([^"]*\)".*/\1/p' "$word" && return
  done
}

_ulpine() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} words core
  local before=${COMP_WORDS[COMP_CWORD - 1]}
  if ((COMP_CWORD == 1)); then
    words=$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
  elif [[ $word == -* ]]; then
    words=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE -- '--[a-z0-9-]+' | sort -u)
  elif [[ ${COMP_WORDS[COMP_CWORD - 2]} == --keys ]]; then
    words=$(_ulpine_keys "$program" "$before")
  else
    case $before in
      --policy | --policies) words=$("$program" info 2>/dev/null | sed -n 's/^policies  *//p') ;;
      --assembly | --assemblies) words='deterministic atomic' ;;
      --device | --devices) words='cpu cuda' ;;
      --on) words=$("$program" info 2>/dev/null | sed -n 's/^cards  *//p') ;;
      --keys) words="all $("$program" cases --keys all 2>/dev/null | sed -n 's/^# \([a-z0-9_]*\):.*/\1/p')" ;;
      --set)
        core=$(_ulpine_core)
        # The value follows at once.
        words=$(_ulpine_keys "$program" "${core:-common}" | sed 's/$/=/')
        compopt -o nospace 2>/dev/null
        ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "${words:-}" -- "$word")
}
complete -o default -F _ulpine ulpine
