/** Random sequences of runs, takes and sweeps, for the comparison of engines. */
import * as fc from 'fast-check';
import type { TrimStep } from 'tenon/store';

/**
 * What the contract leaves open is avoided: moments are distinct (the clock moves by seconds, each op adds milliseconds of
 * its own), rows of a group with `maxChars` are always put with text, and where lanes differ everything that is due is taken.
 */
const maxSteps = 50;
export const opsOfStep = 6;

const partition = fc.constantFrom('p', 'r');
const key = fc.constantFrom('k0', 'k1', 'k2', 'k3', 'k4');
const textKey = fc.constantFrom('c0', 'c1', 'c2');
const text = fc.constantFrom('', 'a', 'long text', '😀', 'ü"\\\n');
const when = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: fc.constantFrom('absent', 'present', 'own', 'other', 'absentOr own', 'absentOr other') },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) => fc.option(arbitrary, { nil: undefined, freq });
const seconds = fc.nat({ max: 6 });
const group = fc.constantFrom(
  { name: 'g', max: 2 },
  { name: 'h', max: 2, beyond: 'delete-oldest' as const },
  { name: 'i' },
);

const step: fc.Arbitrary<TrimStep> = fc.oneof(
  fc.record({ log: fc.constantFrom('l', 'm'), above: fc.nat({ max: 20 }), delete: fc.constant(true as const) }),
  fc.record({
    log: fc.constantFrom('l', 'm'),
    above: fc.nat({ max: 20 }),
    target: fc.nat({ max: 20 }),
    least: fc.nat({ max: 10 }),
    spare: fc.nat({ max: 2 }),
  }),
);

/** Ops whose conditions and moments depend on when they run. */
const op = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constant('put' as const),
      key,
      when,
      data: optional(text),
      fields: optional(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(text), { maxKeys: 3 })),
      expires: optional(fc.nat({ max: 20 }), 4),
      alias: optional(fc.constantFrom('x', 'y'), 5),
      groups: optional(fc.uniqueArray(group, { selector: ({ name }) => name, maxLength: 3 })),
      due: optional(optional(seconds, 4)),
      below: optional(
        fc.array(fc.record({ group: fc.constantFrom('g', 'h', 'i', 'c'), chars: fc.integer({ min: 1, max: 12 }) }), {
          maxLength: 2,
        }),
        5,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('put text' as const),
      key: textKey,
      data: fc.constantFrom('abc', 'abcdef', '😀😀'),
      expires: optional(seconds, 4),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('delete' as const), key: fc.oneof(key, textKey), when }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('get' as const), key: fc.oneof(key, textKey) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('list' as const),
      group: fc.constantFrom('g', 'h', 'i', 'c'),
      after: optional(key),
      max: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('append' as const),
      row: fc.oneof(key, fc.constant('loose')),
      log: fc.constantFrom('l', 'm'),
      texts: fc.array(optional(text, 4), { maxLength: 3 }),
      at: fc.constantFrom(undefined, undefined, undefined, 0, 0, 0, -1, 1),
      mark: optional(fc.nat({ max: 99 }), 5),
      note: optional(text),
      isFollowed: optional(fc.boolean()),
      end: optional(fc.constant(true), 6),
      room: optional(fc.record({ maxLogs: fc.nat({ max: 2 }), maxChars: fc.nat({ max: 20 }) }), 5),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('entries' as const),
      row: fc.oneof(key, fc.constant('loose')),
      log: fc.constantFrom('l', 'm'),
      after: fc.nat({ max: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('logs' as const), row: key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('trim' as const),
      row: key,
      steps: fc.oneof(
        { weight: 1, arbitrary: fc.constant('all' as const) },
        { weight: 5, arbitrary: fc.array(step, { maxLength: 3 }) },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('tokens' as const),
      key: fc.constantFrom('t0', 't1'),
      costMs: fc.constantFrom(250, 500.5, 1000),
    }),
  },
);

export type ModelOp = typeof op extends fc.Arbitrary<infer T> ? T : never;

const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ run: partition, ops: fc.array(op, { minLength: 1, maxLength: opsOfStep }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      take: partition,
      queue: fc.constantFrom('q', 's'),
      max: fc.integer({ min: 1, max: 3 }),
      lease: seconds,
    }),
  },
  { weight: 1, arbitrary: fc.record({ sweep: fc.integer({ min: 1, max: 10 }) }) },
);

export type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const afterwards = fc.oneof(
  { weight: 50, arbitrary: fc.integer({ min: 1, max: 3 }) },
  // Every log without a row has gone.
  { weight: 1, arbitrary: fc.constant(2 * 3600) },
);

export const sequence = fc.record({
  hasLanes: fc.boolean(),
  steps: fc.array(fc.tuple(action, afterwards), { minLength: 1, maxLength: maxSteps, size: 'max' }),
});
