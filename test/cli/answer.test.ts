/** A server that asks without a terminal: the call exits with 5, and `tenon answer` continues it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveHttp } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import server, { onSlow } from './fixtures/asking.ts';
import { type Printed, typed } from './terminal.ts';

let url = '';
let close: () => Promise<unknown>;
let home = '';
beforeAll(async () => {
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
  home = mkdtempSync(join(tmpdir(), 'tenon-answer-'));
});
afterAll(async () => {
  await close();
  rmSync(home, { recursive: true });
});

const type = (line: string | readonly string[], own = {}): Promise<Printed> =>
  typed(line, { env: { HOME: home }, ...own });
const envelope = ({ out }: Printed) => JSON.parse(out);
const idOf = (printed: Printed): string => envelope(printed).pending.id;
const folder = (): string => join(home, '.config', 'tenon', 'pending');

/** Where a call stands alone, and where it has a session. */
const ways = [
  ['a call that stands alone', []],
  ['a call in a session', ['--protocol-version', '2025-11-25']],
] as const;

describe.each(ways)('%s', (_, options) => {
  it('asks twice, and is completed by three commands [S31]', async () => {
    const call = await type(['tenon', 'call', url, 'trip', 'by=bus', '--json', ...options]);
    expect(call.code).toBe(5);
    const { pending, ...rest } = envelope(call);
    expect(rest).toEqual({ tenon: 1, command: 'call', ok: false, ms: expect.any(Number) });
    expect(pending).toMatchObject({
      id: expect.any(String),
      questions: [
        { method: 'elicitation/create', params: { message: 'From where?', requestedSchema: { type: 'object' } } },
      ],
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    const second = await type(`tenon answer ${pending.id} city=Rome --json`);
    expect(second.code).toBe(5);
    expect(envelope(second).pending).toMatchObject({
      id: pending.id,
      questions: [{ params: { message: 'And where to?' } }],
    });
    const third = await type(`tenon answer ${pending.id} city=Oslo --json`);
    expect(third.code).toBe(0);
    expect(envelope(third)).toMatchObject({
      command: 'answer',
      ok: true,
      result: { content: [{ text: 'Rome to Oslo by bus' }] },
    });
    expect(readdirSync(folder())).toEqual([]);
  });

  it('is declined, and an answer that does not fit the form is refused before it is sent', async () => {
    const id = idOf(await type(['tenon', 'call', url, 'trip', '--json', ...options]));
    const wrong = await type(`tenon answer ${id} town=Rome`);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toMatch(/does not fit the form.*city/);
    expect(await type(`tenon answer ${id} --decline`)).toMatchObject({ code: 0, out: 'no trip: decline\n' });
    expect((await type(`tenon answer ${id} city=Rome`)).err).toMatch(/There is no call that waits as/);
  });

  it('has several questions at once answered one by one', async () => {
    const call = await type(['tenon', 'call', url, 'both', '--json', ...options]);
    const { id } = envelope(call).pending;
    // In a session the second question is a message of its own, which may arrive later.
    await expect.poll(async () => envelope(await type(`tenon answer ${id} --json`)).pending.questions).toHaveLength(2);
    const [first, second] = envelope(await type(`tenon answer ${id} --json`)).pending.questions;
    const more = await type(`tenon answer ${id} --question ${second.key} city=B --json`);
    expect(envelope(more).pending.questions).toEqual([first]);
    expect(await type(`tenon answer ${id} city=A`)).toMatchObject({ code: 0, out: 'A B\n' });
  });

  it('asks for a URL and for the message of a model', async () => {
    const pay = await type(['tenon', 'call', url, 'pay', ...options]);
    expect(pay).toMatchObject({ code: 5, out: '' });
    expect(pay.err).toMatch(
      /Please pay\n {2}open https:\/\/pay\.example\.com\/1\nAnswer it with: tenon answer \w+ --accept/,
    );
    const [, paying] = /answer (\w+)/.exec(pay.err) ?? [];
    expect((await type(`tenon answer ${paying} --accept`)).out).toBe('accept\n');
    const id = idOf(await type(['tenon', 'call', url, 'think', '--json', ...options]));
    expect((await type('tenon answer')).out).toMatch(
      new RegExp(`^${id}\\s+a model: Six times seven\\?\\s+tenon call`, 'm'),
    );
    expect((await type(['tenon', 'answer', id, 'text=42'])).out).toBe('{"type":"text","text":"42"}\n');
  });
});

it('an interrupted command cancels a call that asks nothing', async () => {
  const interrupted = new AbortController();
  const started = new Promise<void>((resolve) => onSlow(resolve));
  const line = `tenon call ${url} slow --protocol-version 2025-11-25 --json`;
  const call = type(line, { signal: interrupted.signal });
  await started;
  const stopped = new Promise<void>((resolve) => onSlow(resolve));
  interrupted.abort(new Error('Interrupted.'));
  const { code, out } = await call;
  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 130, ok: false, error: { code: 'interrupted' } });
  await stopped;
});

it('a server in a file stays loaded while its call waits', async () => {
  const id = idOf(await type(['tenon', 'call', './asking.ts', 'trip', '--json']));
  expect((await type(`tenon answer ${id} city=Rome`)).code).toBe(5);
  expect(await type(`tenon answer ${id} city=Oslo`)).toMatchObject({ code: 0, out: 'Rome to Oslo by train\n' });
});

it('what waits is listed, stored for this user alone, and shown again without an answer', async () => {
  const id = idOf(await type(`tenon call ${url} trip --json -H Authorization:Bearer-secret`));
  const path = join(folder(), `${id}.json`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(folder()).mode & 0o777).toBe(0o700);
  expect(JSON.parse(readFileSync(path, 'utf8')).continuation).toMatchObject({ kind: 'round', target: { url } });
  const list = await type('tenon answer');
  expect(list.out).toMatch(new RegExp(`^${id}\\s+From where\\?\\s+tenon call`));
  expect(list.out).not.toContain('secret');
  const shown = await type(`tenon answer ${id}`);
  expect(shown.code).toBe(5);
  expect(shown.err).toMatch(
    /The server asks: From where\?\n {2}city \(string, required\)\nAnswer it with: tenon answer \w+ city=…/,
  );
  // Fifteen minutes later it cannot be answered any more.
  const later = () => Date.now() + 15 * 60_000;
  expect(await type('tenon answer', { now: later })).toMatchObject({ code: 0, out: 'Nothing waits.\n' });
  expect((await type(`tenon answer ${id} city=Rome`)).code).toBe(2);
});

it('a wrong state is refused by the server, and the call is forgotten', async () => {
  const id = idOf(await type(`tenon call ${url} trip --json`));
  const path = join(folder(), `${id}.json`);
  const call = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...call, continuation: { ...call.continuation, state: 'forged' } }), {
    mode: 0o600,
  });
  expect((await type(`tenon answer ${id} city=Rome`)).err).toMatch(/Call it again from the start/);
  expect(readdirSync(folder())).toEqual([]);
});

it.each([
  [['answer', 'x y z'], /There is no call that waits as "x y z"/],
  [['answer', '../x'], /There is no call that waits/],
])('%j is refused', async (words, message) => {
  const { code, err } = await type(['tenon', ...words]);
  expect(code).toBe(2);
  expect(err).toMatch(message);
});

describe('--answers', () => {
  const write = (name: string, value: unknown): string => {
    const path = join(home, name);
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    return path;
  };

  it.each(ways)('answers from a file: %s', async (_, options) => {
    const file = write('trip.json', { elicitForm: [{ city: 'Rome' }, { city: 'Oslo' }] });
    const printed = await type(['tenon', 'call', url, 'trip', '--answers', file, ...options]);
    expect(printed).toEqual({ code: 0, out: 'Rome to Oslo by train\n', err: '' });
  });

  it.each(ways)('ends a call that asks what the file does not answer: %s', async (_, options) => {
    const file = write('short.json', { elicitForm: { 'From where?': { city: 'Rome' } } });
    const { code, err } = await type(['tenon', 'call', url, 'trip', '--answers', file, '-q', ...options]);
    expect(code).toBe(5);
    expect(err).toMatch(/short\.json has no answer to the form "And where to\?"/);
  });

  it.each([
    ['nothing.json', undefined, /There is no file .*nothing/],
    ['text.json', 'text', /text\.json is not JSON/],
    ['list.json', [], /list\.json is not a JSON object/],
    ['unknown.json', { forms: [] }, /forms/],
  ])('refuses the file %s', async (name, value, message) => {
    const path = value === undefined ? join(home, name) : write(name, value);
    const { code, err } = await type(['tenon', 'call', url, 'trip', '--answers', path]);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
