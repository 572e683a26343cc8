/** Callers who write into the audit log what looks like its own records, or what it cannot write: each call has its records, and no other. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, serveHttp, tool } from 'tenon';
import { auditFolder, createPolicy, type FoundRecord, guard, searchAudit, verifyAudit } from 'tenon/guard';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { canonical } from '../../../src/guard/audit/canonical.ts';
import { newFolder } from '../../guard/audit/audit-folder.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { type Json, send } from '../../kit/http/raw-http.ts';

const policy = createPolicy('version: 1\nrules:\n  - {id: all, allow: [list, call], to: any, on: any}\n');

async function start() {
  const folder = await newFolder();
  const audit = auditFolder(folder);
  const any = z.looseObject({});
  const server = createServer(
    { name: 'shop', version: '1', tools: { pay: tool({ inputSchema: any }, () => 'paid') } },
    { guard: guard({ policy, audit }) },
  );
  const service = await serveHttp(server, {
    port: 0,
    authenticate: ({ header }) => JSON.parse(decodeURIComponent(header('authorization')?.slice(7) ?? '')),
    onWarning() {},
  });
  onTestFinished(() => service.close());
  async function call(principal: unknown, name: string, args: Json = {}): Promise<Json> {
    const { headers, body } = loneCall(name, args);
    const named = `=?base64?${Buffer.from(name).toString('base64')}?=`;
    const authorization = `Bearer ${encodeURIComponent(JSON.stringify(principal))}`;
    const { status, text } = await send(service.url, {
      headers: { ...headers, 'mcp-name': named, authorization },
      body,
    });
    return text === '' ? { error: { status } } : (JSON.parse(text) as Json);
  }
  async function end(): Promise<FoundRecord[]> {
    await service.close();
    await audit.close();
    const records: FoundRecord[] = [];
    for await (const record of searchAudit(folder, { includePrivate: true })) records.push(record);
    return records;
  }
  return { folder, call, end };
}

const hash = '0'.repeat(64);
/** The last may be a name, and no key of an object. */
const odd: readonly string[] = [
  'a\n{"n":1,"kind":"checkpoint"}',
  'a\r\n',
  `","hash":"${hash}"}\n{"n":0,"at":"","prev":"${hash}","kind":"open"`,
  '\u2028\u2029',
  '\ud800',
  '\udc00\ud800',
  '\0',
  '\u001b[2K\u001b]0;title\u0007',
  '\u009b2K',
  '\u202e',
  '\u007f\u0080\uffff',
  '\\',
  '"',
  ' '.repeat(300),
  'call-end',
  '__proto__',
];

it('has two records for each call, whatever it, its arguments and its caller are named [S24, S36]', async () => {
  const { folder, call, end } = await start();
  const long = 'x'.repeat(300_000);
  const deep = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) as Json;
  const all: Json[] = [
    ...odd.map((text) => JSON.parse(JSON.stringify({ text })) as Json),
    // No message may have a key named __proto__.
    ...odd.slice(0, -1).map((text) => ({ [text]: 1 })),
    ...['record.private', 'record.who', 'arguments', 'sent', 'toJSON', 'hash', 'sealed'].map((name) => ({ [name]: 1 })),
    Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`key ${n}`, n])),
    { [long]: 1 },
    { long },
    { deep },
    { large: 1e308, small: 5e-324, negative: -0 },
  ];
  for (const args of all) expect((await call('eve', 'pay', args)).result).toBeDefined();
  for (const key of odd) expect((await call(`${key}!`, 'pay')).result).toBeDefined();
  for (const key of odd) expect((await call({ issuer: key, subject: `${key}!` }, 'pay')).result).toBeDefined();
  for (const name of odd) expect((await call('eve', name)).error).toBeDefined();
  // A header, which repeats the name, has no halves of characters.
  const names = odd.filter((name) => Buffer.from(name).toString() === name);
  const records = await end();
  const of = (kind: string): number => records.filter((record) => record.kind === kind).length;
  expect([of('call-start'), of('call-end')]).toEqual(Array(2).fill(all.length + 2 * odd.length));
  expect(records.filter(({ what }) => what?.unknown === true)).toHaveLength(names.length);
  expect(await verifyAudit(folder)).toMatchObject({ valid: true });
  for (const key of odd) {
    const who = JSON.stringify([key, `${key}!`]);
    expect(records.filter((record) => record.who?.principal === who && record.kind === 'call-start')).toHaveLength(1);
  }
  for (const name of names)
    expect(records.filter(({ what }) => what?.tool === name && what.unknown === true)).toHaveLength(1);
  const logs = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  expect(logs.length).toBeGreaterThan(1);
  for (const name of logs) expect(await readFile(join(folder, name), 'latin1')).toMatch(/^[\n\x20-\x7e]*$/);
});

it.each(['é', '\ud83d\ude00', '\ud800', 'aé\u007f\uffff', 'a\n"\\é'])(
  'has the same bytes for a long text as for a short one: %j [S24]',
  (text) => {
    const quoted = (value: string): string => canonical(value, 'text').slice(1, -1);
    expect(quoted(text.repeat(5000))).toBe(quoted(text).repeat(5000));
    expect(JSON.parse(canonical(text.repeat(5000), 'text'))).toBe(text.repeat(5000));
  },
);

it('refuses no call of others while one caller sends as much as it can [S24, S36]', async () => {
  const { folder, call, end } = await start();
  const texts = Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`text ${n}`, 'é'.repeat(100_000)]));
  const flood = Promise.all(Array.from({ length: 24 }, () => call('eve', 'pay', texts)));
  const others = await Promise.all(Array.from({ length: 12 }, () => call('ann', 'pay', { to: 'bob' })));
  for (const { result } of others) expect(result).toBeDefined();
  for (const { error } of await flood) expect(JSON.stringify(error ?? '')).not.toContain('record');
  const records = await end();
  const starts = records.filter(({ kind, who }) => kind === 'call-start' && who?.principal === 'ann');
  expect(starts).toHaveLength(12);
  expect(await verifyAudit(folder)).toMatchObject({ valid: true });
});
