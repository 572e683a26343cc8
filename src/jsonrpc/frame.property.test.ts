import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { scaled } from '../../test/kit/long.ts';
import { recordingPeer } from '../../test/kit/transport/recording-peer.ts';
import { type Frame, readFrame, writeFrame } from './frame.ts';
import type { Message } from './message.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', '\ud800', 'constructor', '\n', '"'),
);
const id = fc.oneof(text, fc.maxSafeInteger());
const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
const params = fc.option(
  value.map((inner) => (typeof inner === 'object' && inner !== null ? inner : { inner })),
  { nil: undefined },
);
const error = fc.record(
  { code: fc.maxSafeInteger(), message: text, data: value },
  { requiredKeys: ['code', 'message'] },
);
const jsonrpc = fc.constant('2.0' as const);

/** Absent params are left out rather than undefined, as in text. */
const withParams = <T extends object>({ params, ...rest }: T & { params: unknown }): object =>
  params === undefined ? rest : { ...rest, params };

const message = fc.oneof(
  fc.record({ jsonrpc, id, method: text, params }).map(withParams),
  fc.record({ jsonrpc, method: text, params }).map(withParams),
  fc.record({ jsonrpc, id, result: value }),
  fc.record({ jsonrpc, id, error }),
  fc.record({ jsonrpc, id: fc.constant(null), error }),
  fc.record({ jsonrpc, error }),
) as fc.Arbitrary<Message>;

/** A valid message, changed in one field or in a few characters of its text. */
const mutated = fc.oneof(
  fc
    .tuple(message, fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error', '__proto__', 'x'), value)
    .map(([original, field, inner]) => JSON.stringify({ ...original, [field]: inner })),
  fc
    .tuple(message, fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error'))
    .map(([original, field]) => JSON.stringify({ ...original, [field]: undefined })),
  fc
    .tuple(message, fc.nat(), fc.nat(3), fc.constantFrom('', '"', '{', '}', '[', ',', '\\', '\u0000', '9', '__proto__'))
    .map(([original, at, removed, put]) => {
      const whole = JSON.stringify(original);
      const start = at % (whole.length + 1);
      return whole.slice(0, start) + put + whole.slice(start + removed);
    }),
  fc.array(fc.oneof(message, value), { maxLength: 4 }).map((items) => JSON.stringify(items)),
  value.map((inner) => JSON.stringify(inner)),
);

const isSafe = (original: Message): boolean => !JSON.stringify(original).includes('"__proto__"');

test('any valid message comes back from its text with the same meaning', () => {
  fc.assert(
    fc.property(message.filter(isSafe), fc.boolean(), (original, strict) => {
      const written = writeFrame(original);
      const frame = readFrame(written, { strict });
      expect(frame).toMatchObject({ kind: expect.stringMatching(/^(request|notification|result|error)$/) });
      expect('message' in frame && frame.message).toEqual(JSON.parse(JSON.stringify(original)));
      expect(new TextDecoder().decode(new TextEncoder().encode(written))).toBe(written);
    }),
    { seed: 7, numRuns: scaled(200, 2000) },
  );
});

const errorCodes = new Set([
  'invalid-json',
  'invalid-message',
  'unsafe-key',
  'duplicate-key',
  'batch-too-long',
  'nesting-too-deep',
]);

/** What is wrong with the way a frame was read, or nothing. */
function objection(frame: Frame): string | undefined {
  if (frame.kind === 'batch') return frame.arrivals.map(objection).find((one) => one !== undefined);
  if (frame.kind !== 'invalid') return writeFrame(frame.message) === '' ? 'a message without text' : undefined;
  if (!errorCodes.has(frame.error.code)) return `an error of code ${frame.error.code}`;
  return undefined;
}

test('however a message is damaged, reading gives an error or a valid message and never throws', () => {
  fc.assert(
    fc.property(mutated, fc.boolean(), (changed, strict) => {
      expect(objection(readFrame(changed, { strict }))).toBeUndefined();
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { seed: 7, numRuns: scaled(400, 4000) },
  );
});

test('a peer answers any text with at most one reply, which is valid, and never throws', () => {
  fc.assert(
    fc.property(fc.array(mutated, { maxLength: 5 }), fc.boolean(), (frames, batches) => {
      const { peer, frames: replies } = recordingPeer({ batches: () => batches });
      for (const frame of frames) {
        const before = replies.length;
        peer.receive(frame);
        expect(replies.length - before).toBeLessThanOrEqual(1);
      }
      expect(replies.map((reply) => objection(readFrame(reply)))).toEqual(replies.map(() => undefined));
      expect(replies.every((reply) => readFrame(reply).kind !== 'invalid')).toBe(true);
    }),
    { seed: 7, numRuns: scaled(150, 1500) },
  );
});
