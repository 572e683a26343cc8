/** What the log writes: a chain of records with commitments, checkpoints and segments. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { auditFolder, verifyAudit } from 'tenon/guard';
import { describe, expect, it, vi } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import {
  chainFiles,
  createFakeMachine,
  key,
  kindsIn,
  newFolder,
  openAudit,
  recordsIn,
  searched,
} from './audit-folder.ts';

const canary = 'canary-4711';
const call = (tool: string, args: object = {}) =>
  ({ kind: 'call-start', who: { principal: 'alice' }, what: { tool }, private: { arguments: args } }) as const;

describe('a chain', () => {
  it('has one line for each event, and each line has the hash of the line before [S24]', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder);
    await audit.begin(call('deploy'));
    await audit.append({ kind: 'call-end', what: { tool: 'deploy', outcome: 'ok' } });
    await audit.close();

    const [name = ''] = await chainFiles(folder);
    const lines = (await readFile(join(folder, name), 'latin1')).split('\n').slice(0, -1);
    let prev = '0'.repeat(64);
    for (const [n, line] of lines.entries()) {
      const record = JSON.parse(line) as { n: number; prev: string; hash: string };
      expect(record).toMatchObject({ n, prev });
      // As anyone can compute it without this library.
      expect(
        createHash('sha256')
          .update(line.slice(0, line.lastIndexOf(',"hash":')))
          .digest('hex'),
      ).toBe(record.hash);
      prev = record.hash;
    }
    expect(await kindsIn(folder)).toBe('open call-start call-end close checkpoint');
    expect(await verifyAudit(folder, { publicKey: key.publicKey })).toMatchObject({
      valid: true,
      records: 5,
      signedRecords: 4,
    });
  });

  it('continues after a restart, and its last checkpoint covers the end of the process', async () => {
    const folder = await newFolder();
    for (let run = 0; run < 3; run++) {
      const { audit, anchored } = openAudit(folder);
      await audit.append({ kind: 'policy', what: { run } });
      await audit.close();
      expect(anchored.at(-1)?.records).toBe(4 * run + 3);
    }
    expect((await recordsIn(folder)).map(({ n }) => n)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    expect(await verifyAudit(folder, { publicKey: key.publicKey })).toMatchObject({ valid: true, signedRecords: 11 });
  });

  it('writes the events of one turn in their order', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder);
    await audit.open();
    await Promise.all(Array.from({ length: 50 }, (_, at) => audit.append({ kind: 'decision', what: { at } })));
    await audit.close();
    const found = (await recordsIn(folder)).filter(({ kind }) => kind === 'decision');
    expect(found.map(({ what }) => what?.at)).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });

  it('records an event as it was when it was passed', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder);
    await audit.open();
    const what = { tool: 'before' };
    const stored = audit.append({ kind: 'decision', what });
    what.tool = 'after';
    await stored;
    await audit.close();
    expect((await recordsIn(folder))[1]?.what).toEqual({ tool: 'before' });
  });

  it('creates a folder and files that only its user can read', async () => {
    const folder = join(await newFolder(), 'audit');
    const { audit } = openAudit(folder);
    await audit.open();
    const modes = await Promise.all(
      [folder, ...(await readdir(folder)).map((name) => join(folder, name))].map(
        async (path) => (await stat(path)).mode & 0o777,
      ),
    );
    expect(new Set(modes)).toEqual(new Set([0o700, 0o600]));
    await audit.close();
  });

  it('keeps the order of its numbers when the clock goes backwards', async () => {
    const folder = await newFolder();
    const times = ['2027-01-02T00:00:00.000Z', '2027-01-01T00:00:00.000Z'];
    const { audit } = openAudit(
      folder,
      {},
      { ...createFakeMachine(), date: () => times.shift() ?? '2026-12-31T00:00:00.000Z' },
    );
    await audit.append({ kind: 'decision', what: { tool: 'a' } });
    await audit.append({ kind: 'decision', what: { tool: 'b' } });
    await audit.close();
    expect(await verifyAudit(folder)).toMatchObject({ valid: true });
    const found = await searched(folder, { until: new Date('2027-01-01T12:00:00Z'), kinds: ['decision'] });
    expect(found.map(({ what }) => what?.tool)).toEqual(['a', 'b']);
  });
});

describe('a checkpoint', () => {
  it('is signed after maxUnsignedRecords, and is handed to the anchor', async () => {
    const folder = await newFolder();
    const { audit, anchored } = openAudit(folder, { limits: withFixed({}, { maxUnsignedRecords: 3 }) });
    for (let n = 0; n < 5; n++) await audit.append({ kind: 'decision' });
    await audit.close();
    expect(await kindsIn(folder)).toBe(
      'open decision decision checkpoint decision decision decision checkpoint close checkpoint',
    );
    expect(anchored.map(({ records }) => records)).toEqual([3, 7, 9]);
  });

  it('is signed after checkpointMs at the latest, and not again without a record', async () => {
    const folder = await newFolder();
    const { audit, machine, anchored } = openAudit(folder, { timeouts: { checkpointMs: 5000 } });
    await audit.append({ kind: 'decision' });
    machine.clock.advance(4999);
    await audit.append({ kind: 'decision' });
    expect(anchored).toEqual([]);
    machine.clock.advance(1);
    await vi.waitFor(() => expect(anchored.length).toBe(1));
    machine.clock.advance(60_000);
    await audit.close();
    expect(await kindsIn(folder)).toBe('open decision decision checkpoint close checkpoint');
  });

  it('is handed again if the anchor fails or never answers, and nothing else waits for it', async () => {
    const folder = await newFolder();
    const handed: number[] = [];
    const warnings: string[] = [];
    const answers = [() => Promise.reject(new Error('down')), () => new Promise(() => {}), () => undefined];
    const { audit, machine } = openAudit(folder, {
      anchor: ({ records }) => {
        handed.push(records);
        return answers.shift()?.();
      },
      onWarning: ({ code }) => {
        warnings.push(code);
        throw new Error('a callback that fails');
      },
      limits: withFixed({}, { maxUnsignedRecords: 2 }),
    });
    await audit.append({ kind: 'decision' });
    await vi.waitFor(() => expect(warnings).toEqual(['callback-failed']));
    // The timer of the retry is one of two.
    await vi.waitFor(() => expect(machine.clock.pending).toBe(1));
    machine.clock.advance(10_000);
    await vi.waitFor(() => expect(handed).toEqual([2, 2]));
    machine.clock.advance(10_000);
    await vi.waitFor(() => expect(warnings).toEqual(['callback-failed', 'callback-failed']));
    machine.clock.advance(10_000);
    await vi.waitFor(() => expect(handed).toEqual([2, 2, 2]));
    await audit.close();
  });

  it('is not made without a key', async () => {
    const folder = await newFolder();
    const audit = auditFolder(folder);
    await audit.append({ kind: 'decision' });
    await audit.close();
    expect(await kindsIn(folder)).toBe('open decision close');
    expect(await verifyAudit(folder)).toMatchObject({ valid: true, signedRecords: 0 });
  });
});

describe('private values', () => {
  it('are nowhere in the files of the chain, and can be read beside it [S24]', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder);
    await audit.begin(call('mail', { to: canary, text: 'hello' }));
    await audit.close();
    for (const name of await chainFiles(folder))
      expect(await readFile(join(folder, name), 'latin1')).not.toContain(canary);
    const [found] = await searched(folder, { kinds: ['call-start'], includePrivate: true });
    expect(found?.private).toEqual({ arguments: { text: 'hello', to: canary } });
  });

  it('are salted: equal values have different commitments', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder);
    await audit.begin(call('mail', { to: canary }));
    await audit.begin(call('mail', { to: canary }));
    await audit.close();
    const [, one, other] = await recordsIn(folder);
    expect(one?.sealed?.arguments).toMatch(/^[\da-f]{64}$/);
    expect(one?.sealed?.arguments).not.toBe(other?.sealed?.arguments);
  });

  it('are deleted by redact(), which the chain records and survives [S24]', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder);
    await audit.begin(call('mail', { to: canary }));
    await audit.begin(call('keep', { to: 'other' }));
    expect(await audit.redact({ what: 'mail' })).toBe(1);
    expect(await audit.redact({ what: 'mail' })).toBe(0);
    await audit.begin(call('later', { to: 'later' }));
    await audit.close();
    for (const name of await readdir(folder))
      expect(await readFile(join(folder, name), 'latin1')).not.toContain(canary);
    expect(await verifyAudit(folder, { publicKey: key.publicKey })).toMatchObject({ valid: true, redacted: 1 });
    const found = await searched(folder, { kinds: ['call-start'], includePrivate: true });
    expect(found.map((record) => record.private)).toEqual([
      {},
      { arguments: { to: 'other' } },
      { arguments: { to: 'later' } },
    ]);
    expect((await recordsIn(folder)).find(({ kind }) => kind === 'redaction')?.what).toEqual({
      file: 'audit-000000000000.jsonl',
      values: 1,
    });
  });

  it('are committed to and not stored beyond maxPrivateChars, and a long record becomes one', async () => {
    const folder = await newFolder();
    const { audit } = openAudit(folder, { limits: withFixed({}, { maxPrivateChars: 100, maxRecordChars: 50 }) });
    await audit.begin({ ...call('x'.repeat(60), { text: canary.repeat(20) }) });
    await audit.close();
    const [, record] = await recordsIn(folder);
    expect(record).toMatchObject({ who: { principal: 'alice' }, what: { omittedChars: 71 } });
    expect(Object.keys(record?.sealed ?? {})).toEqual(['arguments', 'record.what']);
    const [found] = await searched(folder, { kinds: ['call-start'], includePrivate: true });
    expect(found?.private).toEqual({ 'record.what': { tool: 'x'.repeat(60) } });
    expect(await verifyAudit(folder)).toMatchObject({ valid: true });
    for (const name of await readdir(folder))
      expect(await readFile(join(folder, name), 'latin1')).not.toContain(canary);
  });

  it.each([
    ['too many', Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, at]))],
    ['long', { [canary.repeat(20)]: 1 }],
    ['reserved', { 'record.what': canary }],
    ['hostile', JSON.parse('{"__proto__":1,"constructor":2,"10":3,"9":4,"\\u0000":5,"\\ud800":6,"é":7}') as object],
  ])('with names that are %s leave a record of bounded size that verifies', async (_, fields) => {
    const folder = await newFolder();
    const { audit } = openAudit(folder, { limits: withFixed({}, { maxRecordChars: 20 }) });
    await audit.begin({ kind: 'call-start', what: { tool: 'x'.repeat(100) }, private: { ...fields } });
    await audit.close();
    expect(await verifyAudit(folder)).toMatchObject({ valid: true, redacted: 0 });
    const [, record] = await recordsIn(folder);
    expect(JSON.stringify(record).length).toBeLessThan(1000);
  });
});
