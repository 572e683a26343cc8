/** Refuses at definition what could only fail later, with the place and the mend. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { type Check, isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';

/** Names may be written by models and on command lines, so they keep to plain characters. */
export function checkName(place: string, name: string): void {
  if (/^[\w.\-/]{1,128}$/.test(name)) return;
  throw new TenonError('invalid-definition', `${place}[${JSON.stringify(name)}]: not a name it may have.`, {
    hint: 'Use 1 to 128 letters, digits, dots, dashes, slashes or underscores.',
  });
}

/** A definition is facts and a handler, as the function for it makes one. */
export function checkDefined(place: string, source: unknown, maker: string, handler: string): void {
  if (isRecord(source) && isRecord(source.facts) && typeof source[handler] === 'function') return;
  throw new TenonError('invalid-definition', `${place}: not what ${maker}(…) gives.`, {
    hint: `Define it as ${maker}({ … }, handler).`,
  });
}

/** A time or a number of things that is given has to be one that something can come to. */
export function checkPositive(place: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value > 0)) return;
  const given = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw new TenonError('invalid-definition', `${place}: ${given} is not a positive finite number.`, {
    hint: 'Use a number over 0, or leave it out.',
  });
}

/** Holds a record against its checker. The field without which, or as plain text, it would be fine is the wrong one. */
export function checkRecord(place: string, record: Fields, check: Check): void {
  if (check(record)) return;
  const isCulprit = (key: string): boolean => [undefined, ''].some((plain) => check({ ...record, [key]: plain }));
  const culprit = Object.keys(record).find(isCulprit);
  throw new TenonError(
    'invalid-definition',
    `${culprit === undefined ? place : `${place}.${culprit}`}: not of the shape it has to have.`,
    {
      hint: 'Texts are strings, icons have a src, hints are true or false: see the types.',
    },
  );
}
