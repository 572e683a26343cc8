/** Changes of prompts. */
import type { Prompt } from '../../protocol/generated/types/records.ts';
import { type ContractChange, quoted } from './change.ts';
import { listChanges, textChanges } from './items.ts';
import type { Both } from './versions.ts';

export const promptChanges = (both: Both): ContractChange[] =>
  listChanges<Prompt>({
    kind: 'prompt',
    before: both.before.prompts,
    after: both.after.prompts,
    keyOf: ({ name }) => name,
    verb: 'get',
    compare(before, after) {
      const subject = { kind: 'prompt', name: before.name } as const;
      return [
        ...argumentChanges(before, after),
        ...textChanges(subject, [before, after], ['title', 'description', 'icons', '_meta']),
      ];
    },
  });

type Argument = NonNullable<Prompt['arguments']>[number];

function argumentChanges(before: Prompt, after: Prompt): ContractChange[] {
  const [old, now] = [before, after].map(
    (prompt) => new Map((prompt.arguments ?? []).map((argument) => [argument.name, argument])),
  ) as [Map<string, Argument>, Map<string, Argument>];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const found = argumentChange(name, old.get(name), now.get(name));
    return found.map(
      (change) => ({ kind: 'prompt', name: before.name, place: `arguments.${name}`, ...change }) as const,
    );
  });
}

function argumentChange(
  name: string,
  before: Argument | undefined,
  after: Argument | undefined,
): Pick<ContractChange, 'effect' | 'text' | 'callers'>[] {
  const shown = quoted(name);
  if (after === undefined) return [{ effect: 'undecided', text: `${shown} was removed.`, callers: `send ${shown}` }];
  if (after.required === true && before?.required !== true) {
    const text = before === undefined ? `${shown} was added, and is required.` : `${shown} is required now.`;
    return [{ effect: 'breaks', text, callers: `omit ${shown}` }];
  }
  if (before === undefined) return [{ effect: 'safe', text: `${shown} was added, and is optional.` }];
  return [
    ...(before.required === true && after.required !== true
      ? [{ effect: 'safe', text: `${shown} is optional now.` } as const]
      : []),
    ...(before.description === after.description
      ? []
      : [{ effect: 'review', text: `The description of ${shown} changed.` } as const]),
  ];
}
