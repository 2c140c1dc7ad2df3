#compdef ulpine
# SPDX-License-Identifier: Apache-2.0
# Completion for zsh: commands and options are read from the program's own help.
_ulpine() {
  local -a found
  if ((CURRENT == 2)); then
    found=(${(f)"$(ulpine --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *\([^ ].*\)$/\1:\2/p')"})
    _describe command found
  elif [[ $words[CURRENT] == -* ]]; then
    found=(${(fu)"$(ulpine $words[2] --help 2>/dev/null | grep -oE -e '--[a-z0-9-]+')"})
    compadd -a found
  else
    _files
  fi
}
_ulpine "$@"
