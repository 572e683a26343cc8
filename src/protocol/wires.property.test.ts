import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../test/kit/long.ts';
import type { Fields } from '../lib/values/is.ts';
import type { Reading } from './neutral.ts';
import { newestExchange, revisions } from './revisions/revisions.ts';

const run = { seed: 7, numRuns: scaled(15, 2000) };

const meta = fc.option(fc.dictionary(fc.constantFrom('a.b/c', 'x', 'progressToken2'), fc.jsonValue({ maxDepth: 2 })), {
  nil: undefined,
});
const own = { _meta: meta, ours: fc.option(fc.string(), { nil: undefined }) };
const annotations = fc.option(
  fc.record({
    audience: fc.constant(['user']),
    priority: fc.double({ min: 0, max: 1, noNaN: true }),
    lastModified: fc.string(),
  }),
  { nil: undefined },
);
const block: fc.Arbitrary<Fields> = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string(), annotations, ...own }),
  fc.record({ type: fc.constant('image'), data: fc.base64String(), mimeType: fc.string(), annotations, ...own }),
  fc.record({ type: fc.constant('audio'), data: fc.base64String(), mimeType: fc.string(), annotations, ...own }),
  fc.record({
    type: fc.constant('resource_link'),
    uri: fc.webUrl(),
    name: fc.string(),
    title: fc.string(),
    annotations,
    ...own,
  }),
  fc.record({
    type: fc.constant('resource'),
    resource: fc.record({ uri: fc.webUrl(), text: fc.string(), ...own }),
    annotations,
    ...own,
  }),
  fc.record({ type: fc.constant('hologram'), depth: fc.nat() }),
);
const toolResult = fc.record({
  content: fc.array(block, { maxLength: 4 }),
  isError: fc.boolean(),
  structuredContent: fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined }),
  _meta: meta,
});

/** As it is after a journey in text. */
const inText = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const valueOf = <T>(reading: Reading<T>): T => {
  if (!reading.ok) throw new Error(reading.refusal.message);
  return reading.value;
};

describe('Any tool result', () => {
  it.each(revisions)("written for $id passes that revision's own checkers [S34]", (revision) => {
    fc.assert(
      fc.property(toolResult, (result) => {
        const written = valueOf(
          revision.wire.writeResult(revision, 'client', 'tools/call', { resultType: 'complete', result }),
        );
        const checks = revision.client.requests.get('tools/call');
        expect(checks?.result(inText(written))).toBe(true);
      }),
      run,
    );
  });

  it.each(revisions)('written and read again under $id is read as it was written', (revision) => {
    fc.assert(
      fc.property(toolResult, (result) => {
        const written = inText(
          valueOf(revision.wire.writeResult(revision, 'client', 'tools/call', { resultType: 'complete', result })),
        );
        const once = valueOf(revision.wire.readResult(revision, 'client', 'tools/call', written));
        if (once.resultType !== 'complete') throw new Error('a tool result is done');
        const again = inText(valueOf(revision.wire.writeResult(revision, 'client', 'tools/call', once)));
        expect(again).toEqual(written);
      }),
      run,
    );
  });

  it('travels through the newest revision unchanged', () => {
    fc.assert(
      fc.property(toolResult, (result) => {
        const written = inText(
          valueOf(
            newestExchange.wire.writeResult(newestExchange, 'client', 'tools/call', { resultType: 'complete', result }),
          ),
        );
        const read = valueOf(newestExchange.wire.readResult(newestExchange, 'client', 'tools/call', written));
        expect(read).toMatchObject({ resultType: 'complete', result: inText(result) });
      }),
      run,
    );
  });

  it.each(revisions)('is never changed in place by writing it for $id', (revision) => {
    fc.assert(
      fc.property(toolResult, (result) => {
        const before = inText(result);
        revision.wire.writeResult(revision, 'client', 'tools/call', { resultType: 'complete', result });
        expect(inText(result)).toEqual(before);
      }),
      { ...run, numRuns: scaled(5, 500) },
    );
  });
});

describe('Any value at all', () => {
  it.each(revisions)('is read under $id without a throw: a value or a refusal', (revision) => {
    const methods = [...revision.client.requests.keys(), ...revision.server.requests.keys(), 'no/such'];
    fc.assert(
      fc.property(fc.constantFrom(...methods), fc.oneof(fc.jsonValue(), fc.constant(undefined)), (method, value) => {
        for (const side of ['client', 'server'] as const) {
          expect(typeof revision.wire.readRequest(revision, side, method, value).ok).toBe('boolean');
          expect(typeof revision.wire.readResult(revision, side, method, value).ok).toBe('boolean');
          expect(typeof revision.wire.readNotification(revision, side, method, value).ok).toBe('boolean');
        }
      }),
      run,
    );
  });

  it.each(revisions)('that is refused under $id is explained without a throw', async (revision) => {
    const methods = [...revision.client.requests.keys()];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), fc.jsonValue(), async (method, value) => {
        const read = revision.wire.readRequest(revision, 'client', method, value);
        if (read.ok) return;
        const { text } = await read.refusal.explain();
        expect(text).toMatch(/^Invalid params for .*: params.*: expected .*, found /);
      }),
      { ...run, numRuns: scaled(8, 1000) },
    );
  });
});
