/** `tenon completion`: the script by which a shell asks for completions. */
import type { RunCommand } from '../../io/command.ts';
import { unknownName } from '../../usage-error.ts';
import { completionScripts } from './completion-scripts.ts';

export const run: RunCommand = async ({ words: [shell = ''] }) => {
  const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
  const shells = Object.keys(completionScripts);
  if (script === undefined)
    throw unknownName('completion for the shell', shell, shells, `It can be ${shells.join(', ')}.`);
  return { result: { shell, script }, text: script };
};
