/** Rejects invalid fields when the server is created, with the place and a hint. */

import { defaultLimits, findUnsafe, isUnsafe } from '../../jsonrpc/limits.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { unknownName } from '../../lib/text/nearest-name.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Icon } from '../../protocol/generated/types/records.ts';
import { iconSource } from '../../protocol/icon-source.ts';
import { metaProblem } from '../../protocol/meta-keys.ts';
import { type Check } from '../../protocol/model/primitives.ts';
import { refused, typeNameOf } from './definition-error.ts';

/** Models and command lines use names, so only plain characters are allowed. For tools the specification lists them. */
const names = {
  tools: { allowed: /^[A-Za-z\d_.-]{1,128}$/, characters: 'A-Z, a-z, 0-9, underscores, dashes and dots' },
  prompts: { allowed: /^[A-Za-z\d_./-]{1,128}$/, characters: 'A-Z, a-z, 0-9, underscores, dashes, dots and slashes' },
} as const;

export function checkName(kind: keyof typeof names, name: string): void {
  const { allowed, characters } = names[kind];
  if (allowed.test(name)) return;
  throw refused(
    `${kind}[${JSON.stringify(name)}]: the name is not allowed.`,
    `Use 1 to 128 characters of ${characters}, the prefix of a mount included.`,
  );
}

/** Each kind of definition, with the function that creates it and its place in the server's definition. */
const kinds = {
  tool: { maker: 'tool', place: (name: string) => `tools.${name}` },
  prompt: { maker: 'prompt', place: (name: string) => `prompts.${name}` },
  resource: { maker: 'resource', place: (uri: string) => `resources[${JSON.stringify(uri)}]` },
  template: { maker: 'resourceTemplate', place: (uri: string) => `resourceTemplates[${JSON.stringify(uri)}]` },
} as const;

export type DefinitionKind = keyof typeof kinds;

/** Throws for wrong arguments of the function that creates a definition. */
export function checkArguments(kind: DefinitionKind, options: unknown, handler: unknown): void {
  const { maker } = kinds[kind];
  if (typeof options === 'function' || handler === undefined) {
    throw refused(
      `${maker}(): the handler is missing${typeof options === 'function' ? ', or the options before it' : ''}.`,
      `Write ${maker}(options, handler); the options may be {}.`,
      'handler',
    );
  }
  if (!isRecord(options)) {
    throw refused(
      `${maker}(): the options are ${typeNameOf(options)}, not an object.`,
      `Write ${maker}(options, handler). Its name or URI is the key in createServer().`,
      'options',
    );
  }
  if (typeof handler === 'function') return;
  throw refused(
    `${maker}(): the handler is ${typeNameOf(handler)}, not a function.`,
    `Write ${maker}(options, handler).`,
    'handler',
  );
}

/** A definition has to come from the function for its kind, which adds the compiler. */
export function checkDefined(kind: DefinitionKind, name: string, source: unknown): void {
  const isOfKind = isRecord(source) && source.kind === kind && typeof source.compile === 'function';
  if (isOfKind && isRecord(source.options) && typeof source.handler === 'function') return;
  const { maker, place } = kinds[kind];
  throw refused(`${place(name)} is not the result of ${maker}().`, `Define it as ${maker}({ … }, handler).`);
}

/** Throws for an unknown field of a definition, with the most similar known one as a hint. */
export function checkFields(place: string, options: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const unknown = unknownName(options, known);
  if (unknown !== undefined) throw refused(`${place}.${unknown.name} is not an option.`, unknown.hint);
}

/** Throws if a duration or a count is set and is not a positive finite number. */
export function checkPositive(place: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value > 0)) return;
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw refused(`${place}: ${shown} is not a positive finite number.`, 'Use a number over 0, or leave it out.');
}

/** Validates a record. The error names the field whose removal, or replacement by a string, makes the record valid. */
export function checkRecord(place: string, record: Fields, check: Check): void {
  if (!check(record)) throw malformedRecord(place, record, check);
  checkSafe(place, record);
  const problem = metaProblem(record._meta);
  if (problem !== undefined) throw new TenonError('invalid-definition', `${place}._meta${problem}`);
  for (const [at, { src }] of ((record.icons ?? []) as Icon[]).entries()) checkIcon(`${place}.icons[${at}].src`, src);
}

/** Rejects values that no message can carry, while the place is still known. */
function checkSafe(place: string, record: Fields): void {
  if (!isUnsafe(record, deepestRecord)) return;
  const unsafe = findUnsafe(record, deepestRecord, place);
  if (unsafe?.code === 'unsafe-key') throw refused(`${unsafe.place}: this key is not allowed.`, 'Use another name.');
  throw refused(`${place} is nested more than ${deepestRecord} levels deep.`, 'Use fewer levels.');
}

/** A record is nested in a list, in a result, in a message: the limit leaves room for them. */
const deepestRecord = defaultLimits.maxDepth - 8;

function checkIcon(place: string, src: string): void {
  if (iconSource(src) !== undefined) return;
  const shown = JSON.stringify(src.length > 80 ? `${src.slice(0, 80)}…` : src);
  throw refused(
    `${place}: clients do not load an icon from ${shown}.`,
    'Use an https: URL without a password, or data:image/….',
  );
}

function malformedRecord(place: string, record: Fields, check: Check): TenonError {
  const isCulprit = (key: string): boolean => [undefined, ''].some((plain) => check({ ...record, [key]: plain }));
  const culprit = Object.keys(record).find(isCulprit);
  return refused(
    `${culprit === undefined ? place : `${place}.${culprit}`} is not valid.`,
    'Check it against its type: texts are strings, icons have a src, annotations are booleans.',
  );
}
