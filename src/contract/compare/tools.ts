/** Changes of tools. */
import type { Tool } from '../../protocol/generated/types/records.ts';
import { createWork, type Work } from '../schema/document.ts';
import { type ContractChange, quoted } from './change.ts';
import { listChanges, textChanges } from './items.ts';
import { schemaChanges } from './schemas.ts';
import type { Both } from './versions.ts';

export function toolChanges(both: Both): ContractChange[] {
  // One for all tools: a server may list as many as it likes.
  const work = createWork();
  return listChanges<Tool>({
    kind: 'tool',
    before: both.before.tools,
    after: both.after.tools,
    keyOf: ({ name }) => name,
    verb: 'call',
    compare: (before, after) => changesOf(before, after, work),
  });
}

function changesOf(before: Tool, after: Tool, work: Work): ContractChange[] {
  const subject = { kind: 'tool', name: before.name } as const;
  return [
    ...schemaChanges(subject, 'input', before.inputSchema, after.inputSchema, work),
    ...outputChanges(before, after, work),
    ...annotationChanges(before, after),
    ...taskChanges(before, after),
    ...textChanges(subject, [before, after], ['title', 'description', 'icons', '_meta']),
  ];
}

function outputChanges(before: Tool, after: Tool, work: Work): ContractChange[] {
  const subject = { kind: 'tool', name: before.name } as const;
  const place = 'output';
  if (before.outputSchema === undefined && after.outputSchema === undefined) return [];
  if (before.outputSchema === undefined)
    return [{ ...subject, effect: 'safe', place, text: 'An output schema was added.' }];
  if (after.outputSchema === undefined) {
    const callers = `read ${quoted('structuredContent')}`;
    return [{ ...subject, effect: 'breaks', place, text: 'The output schema was removed.', callers }];
  }
  return schemaChanges(subject, 'output', before.outputSchema, after.outputSchema, work);
}

/** The default of each hint, and what callers may do because of the other value. */
const hints = {
  readOnlyHint: { otherwise: false, callers: 'call it without asking' },
  destructiveHint: { otherwise: true, callers: 'call it without asking' },
  idempotentHint: { otherwise: false, callers: 'call it again after a failure' },
  openWorldHint: { otherwise: true, callers: undefined },
} as const;

/** Hints decide whether users are asked. A removed guarantee is reported with the callers that relied on it. */
function annotationChanges(before: Tool, after: Tool): ContractChange[] {
  const changes = Object.entries(hints).flatMap(([name, { otherwise, callers }]): ContractChange[] => {
    const [old, now] = [before, after].map((tool) => tool.annotations?.[name as keyof typeof hints] ?? otherwise);
    if (old === now) return [];
    const text = `The ${name} is ${now} now.`;
    const isDropped = now === otherwise && callers !== undefined;
    return [
      {
        kind: 'tool',
        name: before.name,
        effect: 'review',
        place: `annotations.${name}`,
        text,
        ...(isDropped && { callers }),
      },
    ];
  });
  if (before.annotations?.title !== after.annotations?.title)
    changes.push({
      kind: 'tool',
      name: before.name,
      effect: 'review',
      place: 'annotations.title',
      text: 'The title changed.',
    });
  return changes;
}

/** Whether calls may, must or cannot be tasks. */
function taskChanges(before: Tool, after: Tool): ContractChange[] {
  const [old, now] = [before, after].map(({ execution }) => execution?.taskSupport ?? 'forbidden');
  if (old === now) return [];
  const subject = { kind: 'tool', name: before.name, place: 'execution.taskSupport' } as const;
  const text = `Calls as tasks are ${now} now; they were ${old}.`;
  if (now === 'required') return [{ ...subject, effect: 'breaks', text, callers: 'call it without a task' }];
  if (now === 'forbidden') return [{ ...subject, effect: 'breaks', text, callers: 'call it as a task' }];
  return [{ ...subject, effect: 'safe', text }];
}
