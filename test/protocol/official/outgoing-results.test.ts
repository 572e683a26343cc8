/** A result without a field that the newest schema requires is refused when it is written, as when it is read. */
import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../src/lib/values/is.ts';
import type { Outcome } from '../../../src/protocol/neutral.ts';
import { newestExchange as revision } from '../../../src/protocol/revisions/revisions.ts';

const { wire } = revision;
const writes = (method: string, outcome: Outcome): boolean => wire.writeResult(revision, 'client', method, outcome).ok;
const reads = (method: string, result: Fields): boolean => wire.readResult(revision, 'client', method, result).ok;
const done = (result: Fields): Outcome => ({ resultType: 'complete', result });

describe('the exchange wire', () => {
  it.each([
    ['tools/call', { structuredContent: { a: 1 } }, { structuredContent: { a: 1 }, content: [] }],
    ['prompts/get', { description: 'none' }, { messages: [] }],
    ['resources/read', { contents: [{ uri: 'a:b' }] }, { contents: [{ uri: 'a:b', text: '' }] }],
    ['completion/complete', { completion: { values: Array(101).fill('') } }, { completion: { values: [] } }],
  ])(
    'refuses an invalid result of %s when writing and reading, and accepts a valid one [S34]',
    (method, wrong, right) => {
      expect([writes(method, done(wrong)), reads(method, { resultType: 'complete', ...wrong })]).toEqual([
        false,
        false,
      ]);
      expect([writes(method, done(right)), reads(method, { resultType: 'complete', ...right })]).toEqual([true, true]);
    },
  );

  it('never writes a tool result without content, even with structured content [e-schema-32]', () => {
    expect(writes('tools/call', done({ structuredContent: { a: 1 } }))).toBe(false);
  });

  it.each([
    [{ type: 'object' }, true],
    [{ type: 'object', oneOf: [{ required: ['a'] }], $defs: { b: true } }, true],
    [{ type: 'string' }, false],
    [{ properties: {} }, false],
  ])('validates %j as the input schema of a tool: %s [e-schema-34]', (inputSchema, legal) => {
    expect(writes('tools/list', done({ tools: [{ name: 'a', inputSchema }] }))).toBe(legal);
  });

  it.each([
    { type: 'object', properties: { a: { type: 'object', properties: {} } } },
    { type: 'object', properties: { a: { type: 'array', items: { type: 'object' } } } },
    { type: 'object' },
    { type: 'array', properties: {} },
  ])('never writes an elicitation form that is not flat: %j [e-schema-48]', (requestedSchema) => {
    const form = (schema: Fields): Outcome => ({
      resultType: 'input_required',
      inputRequests: { a: { method: 'elicitation/create', params: { message: '', requestedSchema: schema } } },
    });
    expect(writes('tools/call', form(requestedSchema))).toBe(false);
    expect(writes('tools/call', form({ type: 'object', properties: { a: { type: 'string' } } }))).toBe(true);
  });

  it.each([
    ['a negative ttlMs', { ttlMs: -1, scope: 'private' }],
    ['a fraction as ttlMs', { ttlMs: 0.5, scope: 'private' }],
    ['an unknown scope', { ttlMs: 0, scope: 'team' }],
  ])('never writes %s [e-schema-24]', (_, cache) => {
    expect(writes('tools/list', { resultType: 'complete', result: { tools: [] }, cache } as Outcome)).toBe(false);
  });

  it.each([
    ['server/discover', { supportedVersions: [], capabilities: {} }],
    ['tools/list', { tools: [] }],
    ['prompts/list', { prompts: [] }],
    ['resources/list', { resources: [] }],
    ['resources/templates/list', { resourceTemplates: [] }],
    ['resources/read', { contents: [] }],
  ])(
    'writes ttlMs and cacheScope into a result of %s, with or without cache options [e-schema-24]',
    (method, result) => {
      const hinted = wire.writeResult(revision, 'client', method, {
        ...done(result),
        cache: { ttlMs: 5, scope: 'public' },
      } as Outcome);
      expect(hinted).toMatchObject({ ok: true, value: { ttlMs: 5, cacheScope: 'public' } });
      const plain = wire.writeResult(revision, 'client', method, done(result));
      expect(plain).toMatchObject({ ok: true, value: { ttlMs: 0, cacheScope: 'private' } });
    },
  );
});
