/** `tenon test`: makes the calls of a capture again, and shows what differs. */

import type { Difference } from '../../../capture/compare-results.ts';
import type { RepeatedCall } from '../../../capture/repeat-options.ts';
import { callsInCapture, type RecordedCall } from '../../../capture/replay/calls-in-capture.ts';
import { escapeControls } from '../../../lib/text/control-characters.ts';
import { captureIn } from '../../capture/read-files.ts';
import { repeatAt, shownCall } from '../../capture/repeat.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { count } from '../../output/count.ts';
import { type Style, styleFor } from '../../output/style.ts';
import { usageError } from '../../usage-error.ts';

/** Characters of a value that are shown, around the place where it differs. */
const shownChars = 200;

export const run: RunCommand = async (given) => {
  const [file = ''] = given.words;
  const calls = chosen(callsInCapture(await captureIn(file, given.io)), given);
  const style = styleFor(given.io);
  const repeated = await repeatAt(given, calls, {
    ignore: given.texts('ignore'),
    ignoreTimes: given.flag('ignore-times'),
    ignoreIds: given.flag('ignore-ids'),
    onCall: (call) => {
      if (!given.isJson) given.emit(undefined, shown(call, style));
    },
  });
  const different = repeated.filter(({ differences }) => differences.length > 0);
  const result = {
    calls: repeated.length,
    different: different.map(({ call: { method, params }, differences }) => ({ method, params, differences })),
  };
  const text =
    different.length === 0 ? `${count(repeated.length, 'call')}, all as recorded` : summary(repeated, different);
  return { result, text, exit: different.length === 0 ? 0 : 1 };
};

function chosen(calls: readonly RecordedCall[], given: Given): readonly RecordedCall[] {
  const only = given.texts('only');
  const found = calls.filter(
    ({ method, params }) =>
      only.length === 0 || [method, params.name, params.uri].some((one) => only.includes(`${one}`)),
  );
  if (found.length > 0) return found;
  if (calls.length === 0)
    throw usageError('The capture has no calls.', 'Record a session in which a client calls one.');
  throw usageError(`The capture has no call of ${only.join(', ')}.`, `It has ${namesIn(calls)}.`);
}

const namesIn = (calls: readonly RecordedCall[]): string =>
  [...new Set(calls.map(({ method, params }) => String(params.name ?? params.uri ?? method)))].join(', ');

const summary = (all: readonly RepeatedCall[], different: readonly RepeatedCall[]): string =>
  `${count(all.length, 'call')}, ${different.length} not as recorded`;

function shown({ call, differences }: RepeatedCall, style: Style): string {
  const title = escapeControls(shownCall(call));
  if (differences.length === 0) return `${style.good('✓')} ${title}`;
  return [`${style.bad('✗')} ${style.title(title)}`, ...differences.flatMap((one) => lines(one, style))].join('\n');
}

function lines({ path, recorded, now }: Difference, style: Style): string[] {
  const [before, after] = excerpts(textOf(recorded), textOf(now));
  return [
    `    ${path === '' ? 'the outcome' : escapeControls(path)}`,
    ...(recorded === undefined ? [] : [style.bad(`      - ${before}`)]),
    ...(now === undefined ? [] : [style.good(`      + ${after}`)]),
  ];
}

const textOf = (value: unknown): string => (value === undefined ? '' : escapeControls(JSON.stringify(value)));

/** Long texts from a little before the place where they begin to differ. */
function excerpts(before: string, after: string): [string, string] {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const from = before.length <= shownChars && after.length <= shownChars ? 0 : Math.max(0, same - 30);
  return [cut(before, from), cut(after, from)];
}

const cut = (text: string, from: number): string =>
  `${from > 0 ? '…' : ''}${text.slice(from, from + shownChars)}${text.length > from + shownChars ? '…' : ''}`;
