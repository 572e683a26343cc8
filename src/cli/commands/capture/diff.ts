/** `tenon diff`: what a change of a server means for its callers. */
import { callsInCapture } from '../../../capture/replay/calls-in-capture.ts';
import { checkCalls, type JudgedCall } from '../../../contract/check-calls.ts';
import {
  type ContractChange,
  type ContractComparison,
  type Effect,
  effects,
} from '../../../contract/compare/change.ts';
import { compareSnapshots } from '../../../contract/compare/compare.ts';
import type { ServerSnapshot } from '../../../contract/snapshot.ts';
import { captureIn } from '../../capture/read-files.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { printable } from '../../output/content.ts';
import { styleFor } from '../../output/style.ts';
import { snapshotOf } from '../../target/read-snapshot.ts';

export const run: RunCommand = async (given) => {
  const before = await snapshotOf({ ...given, command: undefined });
  const after = await snapshotOf({ ...given, target: given.secondTarget });
  const comparison = compareSnapshots(before, after);
  const calls = await judged(given, before, after);
  const found: readonly { readonly effect: Effect }[] = calls ?? comparison.changes;
  const failing: readonly Effect[] = given.flag('strict') ? ['breaks', 'undecided'] : ['breaks'];
  return {
    result: { ...comparison, ...(calls && { calls }) },
    text: shown(comparison, calls, given),
    exit: found.some(({ effect }) => failing.includes(effect)) ? 1 : 0,
  };
};

async function judged(given: Given, before: ServerSnapshot, after: ServerSnapshot): Promise<JudgedCall[] | undefined> {
  const file = given.text('calls');
  if (file === undefined) return undefined;
  return checkCalls(before, after, callsInCapture(await captureIn(file, given.io)));
}

function shown({ changes }: ContractComparison, calls: readonly JudgedCall[] | undefined, given: Given): string {
  const listed = changes.flatMap((change) => changeLines(change, given));
  const summary = changes.length === 0 ? 'No changes.' : counted(changes);
  return [...listed, summary, ...(calls === undefined ? [] : callLines(calls, given))].join('\n');
}

const width = Math.max(...effects.map((effect) => effect.length)) + 2;

function changeLines({ effect, kind, name, place, text, callers }: ContractChange, { io }: Given): string[] {
  const style = styleFor(io);
  const colored = { breaks: style.bad, undecided: style.bad, review: style.dim, safe: style.good }[effect];
  const subject = [kind, name, place].filter((part) => part !== '').join(' ');
  return [
    `${colored(effect.padEnd(width))}${style.title(printable(subject, io))}`,
    `${''.padEnd(width)}${printable(text, io)}${callers === undefined ? '' : ` It is about callers that ${printable(callers, io)}.`}`,
  ];
}

const counted = (all: readonly { readonly effect: Effect }[]): string =>
  `${effects
    .map((effect) => [all.filter((one) => one.effect === effect).length, effect] as const)
    .filter(([count]) => count > 0)
    .map(([count, effect]) => `${count} ${effect}`)
    .join(', ')}.`;

function callLines(calls: readonly JudgedCall[], { io }: Given): string[] {
  const affected = calls.filter(({ effect }) => effect !== 'safe');
  return [
    '',
    calls.length === 0 ? 'The capture has no calls.' : `Recorded calls: ${counted(calls)}`,
    ...affected.map(
      ({ effect, method, name, reasons }) =>
        `${effect.padEnd(width)}${printable(`${method} ${name}: ${reasons.join(' ')}`, io)}`,
    ),
  ];
}
