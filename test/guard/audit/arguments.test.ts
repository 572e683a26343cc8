/** Wrong arguments and options fail at once, and the error names the place and the fix. */
import * as fc from 'fast-check';
import { type AuditEvent, auditFolder, searchAudit, verifyAudit } from 'tenon/guard';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../../src/guard/audit/canonical.ts';
import { key, newFolder, openAudit, searched } from './audit-folder.ts';

const invalid = (text: string) =>
  expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) });

describe('the canonical form', () => {
  it('is JSON in ASCII, has the same value, and is the same for equal values whatever the order of their keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = canonical(value, 'value');
        expect(text).toMatch(/^[ -~]*$/);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonical(reversed(value), 'value')).toBe(text);
        expect(canonical(JSON.parse(text), 'value')).toBe(text);
      }),
      { numRuns: 300, seed: 19 },
    );
  });

  it('escapes lone surrogates and control characters, and takes dates as JSON does', () => {
    expect(canonical({ b: '\ud800\u007f\u0000', a: [undefined, -0, new Date(0)], c: undefined }, 'value')).toBe(
      '{"a":[null,0,"1970-01-01T00:00:00.000Z"],"b":"\\ud800\\u007f\\u0000"}',
    );
  });
});

/** The same value with its keys in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

const circle: Record<string, unknown> = {};
circle.self = circle;

describe('an event', () => {
  it.each([
    ['what.size is not JSON: bigint', { kind: 'decision', what: { size: 1n } }],
    [
      'private.arguments.list[1] is not JSON: number',
      { kind: 'decision', private: { arguments: { list: [1, Number.NaN] } } },
    ],
    ['is nested too deep', { kind: 'decision', who: circle }],
    ['its kind is "checkpoint"', { kind: 'checkpoint' }],
    ['its kind is "x\\",\\"n\\":1"', { kind: 'x","n":1' }],
  ])('is refused if it cannot be written: %s', async (text, event) => {
    const { audit } = openAudit(await newFolder());
    for (const record of [audit.begin, audit.append])
      await expect(record(event as unknown as AuditEvent)).rejects.toEqual(invalid(text));
    await audit.close();
  });

  it('is refused after close()', async () => {
    const { audit } = openAudit(await newFolder());
    await audit.open();
    await audit.close();
    await audit.close();
    for (const record of [audit.begin, audit.append])
      await expect(record({ kind: 'decision' })).rejects.toMatchObject({ code: 'audit-unavailable' });
    const unopened = openAudit(await newFolder()).audit;
    await unopened.close();
    await expect(unopened.begin({ kind: 'decision' })).rejects.toMatchObject({ code: 'audit-unavailable' });
  });
});

describe('options', () => {
  it.each([
    ['the folder is missing', () => auditFolder('')],
    ['key must be the privateKey', () => auditFolder('x', { key: key.publicKey })],
    ['limits.maxSegments must', () => auditFolder('x', { limits: { maxSegments: 0 } })],
    ['limits.maxRecordChars is fixed at 16384.', () => auditFolder('x', { limits: { maxRecordChars: 1e9 } as object })],
    ["durability must be 'os' or 'sync'", () => auditFolder('x', { durability: 'fsync' as 'os' })],
    ['timeouts.lockMs is fixed at 2000.', () => auditFolder('x', { timeouts: { lockMs: -1 } as object })],
  ])('are checked: %s', (text, run) => {
    expect(run).toThrow(invalid(text));
  });

  it('of verifyAudit and searchAudit are checked, and a folder that is missing is an error', async () => {
    await expect(verifyAudit('x', { publicKey: {} })).rejects.toEqual(invalid('publicKey must'));
    await expect(verifyAudit('x', { anchor: [] })).rejects.toEqual(invalid('anchor must'));
    await expect(searchAudit('x', { since: new Date('x') }).next()).rejects.toEqual(invalid('since must'));
    await expect(searchAudit('x', { limit: 1 } as object).next()).rejects.toMatchObject({
      hint: expect.stringContaining('maxRecords'),
    });
    const folder = `${await newFolder()}/missing`;
    await expect(verifyAudit(folder)).rejects.toMatchObject({ code: 'audit-unavailable', details: { code: 'ENOENT' } });
    await expect(searchAudit(folder).next()).rejects.toMatchObject({ code: 'audit-unavailable' });
  });

  it('of redact() say what to delete', async () => {
    const { audit } = openAudit(await newFolder());
    await expect(audit.redact({})).rejects.toEqual(invalid('the query is empty'));
    await expect(audit.redact({ maxRecords: 1 } as object)).rejects.toEqual(invalid('maxRecords is not an option'));
    await audit.close();
  });
});

describe('a search', () => {
  it('selects by kind, principal, tool, time and number, across segments, and stops at maxRecords', async () => {
    const folder = await newFolder();
    const { audit, machine } = openAudit(folder, { limits: { maxSegmentBytes: 1000 } });
    for (const [at, tool] of ['a', 'b', 'ü"', 'a'].entries()) {
      await audit.begin({ kind: 'call-start', who: { principal: `user ${at % 2}` }, what: { tool, call: at } });
      machine.clock.advance(1000);
    }
    await audit.close();
    const calls = async (query: Parameters<typeof searchAudit>[1]): Promise<unknown[]> =>
      (await searched(folder, { kinds: ['call-start'], ...query })).map(({ what }) => what?.call);
    expect(await calls({})).toEqual([0, 1, 2, 3]);
    expect(await calls({ who: 'user 1' })).toEqual([1, 3]);
    expect(await calls({ what: 'a' })).toEqual([0, 3]);
    expect(await calls({ what: 'ü"' })).toEqual([2]);
    expect(await calls({ who: 'a' })).toEqual([]);
    expect(await calls({ since: new Date('2027-01-01T00:00:01Z'), until: new Date('2027-01-01T00:00:02Z') })).toEqual([
      1, 2,
    ]);
    expect(await calls({ maxRecords: 2 })).toEqual([0, 1]);
    expect(await calls({ from: 4 })).toEqual([3]);
    expect(await calls({ kinds: ['refusals'] })).toEqual([]);
  });

  it('has the number of the next record if it stopped at maxRecords, and none if it returned all', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder, { limits: { maxSegmentBytes: 1000 } });
    for (let call = 0; call < 6; call++) await audit.begin({ kind: 'call-start', what: { tool: 'a', call } });
    await audit.close();
    const inParts = async (maxRecords: number): Promise<unknown[]> => {
      const parts: unknown[] = [];
      for (let from: number | undefined = 0; from !== undefined; ) {
        const found = searchAudit(folder, { what: 'a', maxRecords, from });
        const part: unknown[] = [];
        for await (const { what } of found) {
          expect(found.nextFrom).toBeUndefined();
          part.push(what?.call);
        }
        parts.push(part);
        from = found.nextFrom;
      }
      return parts;
    };
    expect(await inParts(4)).toEqual([
      [0, 1, 2, 3],
      [4, 5],
    ]);
    expect(await inParts(3)).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(await inParts(6)).toEqual([[0, 1, 2, 3, 4, 5]]);
  });
});
