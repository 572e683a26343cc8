/** `tenon completion`: the script by which a shell asks `tenon __complete` what can be typed next. */
import type { RunCommand } from '../../io/command.ts';
import { unknownName } from '../../usage-error.ts';

/**
 * Each passes the words as they are, the one that is being typed last. `__complete` prints lines with a value, a tab and
 * what it is. If it prints none, the shell completes files.
 */
const completionScripts: Readonly<Record<string, string>> = {
  bash: `_tenon_completion() {
  local word value
  COMPREPLY=()
  # A shell breaks words at = and :, which belong to arguments and URLs.
  local line="\${COMP_LINE:0:COMP_POINT}"
  local -a words
  read -r -a words <<< "$line"
  [[ "$line" == *' ' ]] && words+=('')
  word="\${words[\${#words[@]}-1]}"
  local broken="\${word%"\${COMP_WORDS[COMP_CWORD]}"}"
  while IFS=$'\\t' read -r value _; do
    # Names of servers may have spaces.
    COMPREPLY+=("$(printf %q "\${value#"$broken"}")")
  done < <(tenon __complete "\${words[@]:1}" 2> /dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace
}
complete -o default -F _tenon_completion tenon`,
  zsh: `_tenon() {
  local -a found
  local value about
  while IFS=$'\\t' read -r value about; do
    found+=("\${value//:/\\\\:}:$about")
  done < <(tenon __complete "\${(@)words[2,CURRENT]}" 2> /dev/null)
  if (( \${#found} )); then
    _describe 'tenon' found
  else
    _files
  fi
}
compdef _tenon tenon`,
  fish: `function __tenon_complete
  set -l words (commandline --tokenize --cut-at-cursor) (commandline --current-token --cut-at-cursor)
  tenon __complete $words[2..-1] 2> /dev/null
end
complete --command tenon --arguments '(__tenon_complete)'`,
};

export const run: RunCommand = async ({ words: [shell = ''] }) => {
  const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
  const shells = Object.keys(completionScripts);
  if (script === undefined)
    throw unknownName('completion for the shell', shell, shells, `It can be ${shells.join(', ')}.`);
  return { result: { shell, script }, text: script };
};
