/** Captures have everything that happened, none of its secrets, and can be read when they were cut off. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, serveHttp, tool } from 'tenon';
import { type CapturedEvent, captureToFile, createCapture, readCapture } from 'tenon/capture';
import type { TapEvent } from 'tenon/transport';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withFixed } from '../kit/fixed-limits.ts';
import { lookAlikes, secrets } from './samples.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-capture-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function captured(events: readonly Partial<TapEvent>[], keepAnswers = false): string {
  const lines: string[] = [];
  const capture = createCapture({ write: (line) => lines.push(line), keepAnswers });
  for (const [index, event] of events.entries())
    capture.tap({ seq: index + 1, at: 1_000_000 + index, connection: 1, ...event } as TapEvent);
  capture.end();
  return lines.join('');
}

const message = (from: 'client' | 'server', value: unknown): Partial<TapEvent> => ({
  kind: 'message',
  from,
  text: JSON.stringify(value),
});

const messagesOf = (events: readonly CapturedEvent[]): unknown[] =>
  events.flatMap((event) => (event.kind === 'message' ? [event.m] : []));

it('writes a file that only its owner can read, with what a client and a server exchanged [S31]', async () => {
  const server = createServer({ name: 's', version: '1', tools: { echo: tool({}, () => 'hi') } });
  const service = await serveHttp(server, { port: 0 });
  const file = join(folder, 'one.mcp.ndjson');
  const capture = captureToFile(file);
  const target = { url: service.url, headers: { authorization: 'Bearer sesame-open-1234' } };
  const client = await connect(target, { tap: capture.tap });
  await client.tools.call('echo');
  await client.close();
  capture.end();
  await service.close();
  const text = readFileSync(file, 'utf8');
  const { header, events, isComplete } = readCapture(text);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(header).toMatchObject({ capture: 1, redaction: 1 });
  expect(isComplete).toBe(true);
  expect(messagesOf(events)).toContainEqual(expect.objectContaining({ method: 'tools/call' }));
  expect(text).not.toContain('sesame');
  expect(text).toContain('Bearer ‹redacted:');
  expect(() => captureToFile(file)).toThrow(/exists already/);
});

it('a wrong option is refused by name, and no file is created', () => {
  const file = join(folder, 'wrong.mcp.ndjson');
  expect(() => captureToFile(file, { keepAnswer: true } as never)).toThrow(
    /captureToFile\(\).*Did you mean keepAnswers\?/,
  );
  expect(existsSync(file)).toBe(false);
  expect(() => createCapture({} as never)).toThrow(/createCapture\(\): write is missing/);
});

it.each(secrets)('removes the secret of %s', (_, secret, value) => {
  const text = captured([message('client', value)]);
  expect(JSON.stringify(value)).toContain(secret);
  expect(text).not.toContain(secret);
});

it.each(secrets)('removes the secret of %s from what a process prints', (_, secret, value) => {
  const printed = JSON.stringify({ value });
  for (const text of [printed, JSON.stringify(printed), `received ${printed}`])
    expect(captured([{ kind: 'process', phase: 'stderr', text }])).not.toContain(secret);
});

it.each(lookAlikes)('leaves what only looks like a secret: %s', (_, value) => {
  const { events } = readCapture(captured([message('server', value)]));
  expect(messagesOf(events)).toEqual([value]);
});

it('gives equal secrets equal placeholders, wherever they stand', () => {
  const text = captured([
    { kind: 'http', request: 1, phase: 'request', headers: { authorization: 'Bearer one-secret-9' } },
    message('server', { result: { accessToken: 'one-secret-9', text: 'you sent one-secret-9' } }),
    message('server', { result: { accessToken: 'other-secret' } }),
  ]);
  expect([...text.matchAll(/‹redacted:(\d)›/gu)].map(([, number]) => number)).toEqual(['1', '1', '1', '2']);
});

it('removes session ids, queries of links, and what a user answered, in both forms', () => {
  const events = [
    { kind: 'http', request: 1, phase: 'head', status: 200, headers: { 'mcp-session-id': 'abcdefgh' } } as const,
    { kind: 'http', request: 2, phase: 'request', method: 'GET', path: '/cb?code=wxyz1234&page=2' } as const,
    message('server', { id: 7, method: 'elicitation/create', params: { message: 'Name?' } }),
    message('client', { id: 7, result: { action: 'accept', content: { name: 'Ada Lovelace', age: 36 } } }),
    message('client', {
      id: 8,
      method: 'tools/call',
      params: { inputResponses: { who: { action: 'accept', content: { name: 'Grace Hopper' } } } },
    }),
  ];
  expect(captured(events)).not.toMatch(/abcdefgh|wxyz1234|Lovelace|36|Hopper/);
  expect(captured(events, true)).toMatch(/Lovelace.*36.*Hopper/s);
});

it('removes what a user answered to a form that ran as a task of the client', () => {
  const answer = { action: 'accept', content: { name: 'Ada Lovelace' } };
  const events = [
    message('server', { id: 7, method: 'elicitation/create', params: { message: 'Name?', task: { ttl: 1000 } } }),
    message('client', { id: 7, result: { task: { taskId: 'task-1', status: 'working' } } }),
    message('server', { id: 8, method: 'tasks/result', params: { taskId: 'task-1' } }),
    message('client', { id: 8, result: answer }),
  ];
  expect(captured(events)).not.toContain('Lovelace');
  expect(captured(events, true)).toContain('Lovelace');
});

const link = {
  mode: 'url',
  message: 'Open https://id.example/start/p4th-c0de/now?code=qu3ry#fr4gment',
  url: 'https://id.example/start/p4th-c0de/now?code=qu3ry#fr4gment',
  elicitationId: 'e-1',
};

it.each<[string, object]>([
  ['a request', { id: 1, method: 'elicitation/create', params: link }],
  ['the inputs that a result requires', { id: 1, result: { inputRequests: { a: requested(link) } } }],
  [
    'the inputs that a task requires',
    { method: 'notifications/tasks', params: { inputRequests: { a: requested(link) } } },
  ],
  ['an error', { id: 1, error: { code: -32042, message: 'Sign in', data: { elicitations: [link] } } }],
  ['an error in a batch', [{ id: 1, error: { code: -32042, message: 'x', data: { elicitations: [link] } } }]],
])('removes what is for one user from the link of a URL elicitation in %s', (_, sent) => {
  const text = captured([message('server', sent)], true);
  expect(text).not.toMatch(/p4th|qu3ry|fr4gment/);
  expect(text).toMatch(/"url":"https:\/\/id\.example\/start\/‹redacted:\d›\/now\?code=‹redacted:\d›#‹redacted:\d›"/u);
});

function requested(params: object): object {
  return { method: 'elicitation/create', params };
}

it('stores the beginning of a text that is no JSON', () => {
  const { events } = readCapture(captured([{ kind: 'message', from: 'server', text: `<html>${'x'.repeat(5000)}` }]));
  expect(events[0]).toMatchObject({ kind: 'message', raw: `<html>${'x'.repeat(250)}` });
});

it('reads a capture that was cut off at any character', () => {
  const whole = captured([message('client', { id: 1, method: 'ping' }), message('server', { id: 1, result: {} })]);
  const first = whole.indexOf('\n') + 1;
  for (let length = first; length < whole.length; length++) {
    const { events, isComplete } = readCapture(whole.slice(0, length));
    expect(events.length).toBeLessThanOrEqual(2);
    expect(isComplete).toBe(length >= whole.length - 1);
  }
});

it('skips kinds of events that it does not know, and refuses a newer version by name', () => {
  const whole = captured([message('client', { id: 1, method: 'ping' })]);
  const [header = '', ...rest] = whole.split('\n');
  const added = [header, '{"kind":"weather","seq":9}', ...rest].join('\n');
  expect(readCapture(added).events).toHaveLength(1);
  const newer = whole.replace('"capture":1', '"capture":2');
  expect(() => readCapture(newer)).toThrow(expect.objectContaining({ code: 'capture-too-new' }));
  expect(() => readCapture('hello')).toThrow(expect.objectContaining({ code: 'invalid-capture' }));
  expect(() => readCapture(`${header}\nhello\n${rest.join('\n')}`)).toThrow(/Line 2/);
});

it.each(['process', 'state', 'warning', 'close'])('refuses an event %s without a text, by its line', (kind) => {
  const whole = captured([message('client', { id: 1, method: 'ping' })]);
  const [header = ''] = whole.split('\n');
  const event = { kind, seq: 1, ms: 0, connection: 1 };
  for (const text of [undefined, null, 7, ['x']])
    expect(() => readCapture(`${header}\n${JSON.stringify({ ...event, text })}\n`)).toThrow(
      expect.objectContaining({ code: 'invalid-capture', message: expect.stringContaining('Line 2') }),
    );
});

it.each([
  ['events', { maxEvents: 10 }],
  ['characters', { maxChars: 1000 }],
])('ends a capture that has too many %s with a warning, and it can be read [S24]', (_what, limits) => {
  const lines: string[] = [];
  const capture = createCapture(withFixed({ write: (line: string) => void lines.push(line) }, limits));
  const flood = message('server', { method: 'notifications/message', params: { level: 'info', data: 'text' } });
  for (let seq = 1; seq <= 1000; seq++) capture.tap({ seq, at: seq, connection: 1, ...flood } as TapEvent);
  capture.end();
  expect(lines.length).toBeLessThan(30);
  const { events, isComplete } = readCapture(lines.join(''));
  expect([isComplete, events.at(-1)]).toMatchObject([
    true,
    { kind: 'warning', text: expect.stringContaining('limit') },
  ]);
  expect(events).toHaveLength(capture.events);
});
