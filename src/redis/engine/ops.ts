/** Ops as the script of `run` reads them: lists in JSON, with the larger texts beside it. */

import { encodeText } from '../../driver/unfit-texts.ts';
import type { AppendOp, GroupMember, NewEntry, Op, PutOp, TrimStep, When } from '../../store/driver.ts';

/** How many arguments of the script are before the texts. */
const before = 3;

export interface EncodedOps {
  readonly json: string;
  /** An op has the index of its argument. */
  readonly texts: readonly string[];
}

/** What is absent is `false`, which Lua has and JSON too. */
export function encodeOps(ops: readonly Op[], channel: (topic: string) => string): EncodedOps {
  const texts: string[] = [];
  const add = (text: string): number => texts.push(text) + before;
  const json = JSON.stringify(ops.map((op) => encodeOp(op, add, channel)));
  return { json, texts };
}

function encodeOp(op: Op, add: (text: string) => number, channel: (topic: string) => string): readonly unknown[] {
  switch (op.op) {
    case 'put':
      return encodePut(op, add);
    case 'delete':
      return ['delete', encodeText(op.key), ...encodeWhen(op.when)];
    case 'get':
      return ['get', encodeText(op.key)];
    case 'list':
      return ['list', encodeText(op.group), op.after ?? 0, Math.min(op.max, 1e9)];
    case 'append':
      return encodeAppend(op, add);
    case 'entries':
      return ['entries', encodeText(op.row), encodeText(op.log), op.after];
    case 'logs':
      return ['logs', encodeText(op.row)];
    case 'trim':
      return ['trim', encodeText(op.row), op.steps !== 'all' && op.steps.map(encodeStep)];
    case 'tokens':
      return ['tokens', encodeText(op.key), op.costMs, op.fullMs];
    case 'publish':
      return ['publish', channel(op.topic), add(encodeText(op.text))];
  }
}

function encodePut(op: PutOp, add: (text: string) => number): readonly unknown[] {
  const { data, fields, groups, due } = op;
  return [
    'put',
    encodeText(op.key),
    encodeText(op.version),
    ...encodeWhen(op.when),
    data !== undefined && add(encodeText(data)),
    op.chars ?? data?.length ?? 0,
    fields !== undefined &&
      Object.entries(fields).flatMap(([name, value]) => [
        `.${encodeText(name)}`,
        value !== null && add(encodeText(value)),
      ]),
    op.expiresInMs ?? false,
    encodeName(op.alias),
    groups !== undefined && groups.filter(({ scope }) => scope !== 'store').map(encodeMember),
    due !== undefined && due.map(({ queue, inMs, lane }) => [encodeText(queue), inMs ?? false, encodeName(lane)]),
    op.below !== undefined && op.below.map(({ group, chars }) => [encodeText(group), limit(chars)]),
  ];
}

const encodeAppend = (op: AppendOp, add: (text: string) => number): readonly unknown[] => [
  'append',
  encodeText(op.row),
  encodeText(op.log),
  op.entries.map(({ data, chars }: NewEntry) => data !== undefined && add(`${chars}:${encodeText(data)}`)),
  op.at ?? false,
  op.mark ?? false,
  encodeName(op.note),
  op.isFollowed ?? 0,
  op.end ?? false,
  op.room !== undefined && Math.min(op.room.maxLogs, 1e9),
  op.room !== undefined && Math.min(op.room.maxChars, 1e15),
];

function encodeWhen(when: When | undefined): readonly [string | false, string | false] {
  if (when === undefined) return [false, false];
  if (typeof when === 'string') return [when, false];
  return 'version' in when ? ['version', encodeText(when.version)] : ['absentOr', encodeText(when.absentOr)];
}

const encodeMember = ({ name, max, beyond, maxChars }: GroupMember): readonly unknown[] => [
  encodeText(name),
  limit(max),
  beyond === 'delete-oldest',
  limit(maxChars),
];

const encodeStep = (step: TrimStep): readonly unknown[] => {
  const log = encodeText(step.log);
  return 'delete' in step ? [log, step.above, false] : [log, step.above, step.target, step.least, step.spare];
};

const encodeName = (name: string | undefined): string | false => name !== undefined && encodeText(name);

/** JSON has no infinite numbers. */
const limit = (max = Number.POSITIVE_INFINITY): number | false => Number.isFinite(max) && max;
