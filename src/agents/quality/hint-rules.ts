/** Hints that contradict each other or the name: clients skip questions to the user because of them. */
import type { CheckedTool } from './cost.ts';
import { finding, type ToolFinding } from './finding.ts';
import { wordsIn } from './words.ts';

/** What takes something away that cannot be had back. */
const destructive = new Set(
  'delete remove drop destroy erase purge wipe truncate kill terminate uninstall overwrite revoke unlink'.split(' '),
);

/** Before a destructive word these only speak of it: `list_delete_markers`, `preview_delete`. */
const harmless = new Set(
  'get list show find search read fetch query describe explain preview check count view can is has dry'.split(' '),
);

export const hintFindings = (tools: readonly CheckedTool[]): ToolFinding[] => tools.flatMap(oneTool);

function oneTool({ name, annotations = {} }: CheckedTool): ToolFinding[] {
  const { readOnlyHint, destructiveHint } = annotations;
  if (readOnlyHint === true && destructiveHint === true)
    return [
      finding(
        'hints-contradict',
        name,
        'It has readOnlyHint and destructiveHint: a tool that changes nothing destroys nothing.',
        'Remove the one that is wrong.',
      ),
    ];
  const word = destructiveWord(name);
  if (word === undefined || (readOnlyHint !== true && destructiveHint !== false)) return [];
  const hint = readOnlyHint === true ? 'readOnlyHint' : 'destructiveHint: false';
  return [
    finding(
      'hints-contradict',
      name,
      `It has ${hint}, and "${word}" in its name. Clients may call it without asking the user.`,
      'Remove the hint, or rename the tool if it destroys nothing.',
    ),
  ];
}

function destructiveWord(name: string): string | undefined {
  const words = wordsIn(name);
  const at = words.findIndex((word) => destructive.has(word));
  return at === -1 || words.slice(0, at).some((word) => harmless.has(word)) ? undefined : words[at];
}
