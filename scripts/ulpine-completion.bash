# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion for bash: commands, options and policies are read from what the program says of itself.
_ulpine() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} words
  if ((COMP_CWORD == 1)); then
    words=$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
  elif [[ $word == -* ]]; then
    words=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE -- '--[a-z0-9-]+' | sort -u)
  else
    case ${COMP_WORDS[COMP_CWORD - 1]} in
      --policy | --policies) words=$("$program" info 2>/dev/null | sed -n 's/^policies  *//p') ;;
      --assembly | --assemblies) words='deterministic atomic' ;;
      --device | --devices) words='cpu cuda' ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "${words:-}" -- "$word")
}
complete -o default -F _ulpine ulpine
