/** `limits.maxValues` of servers: the default on every transport, and higher and lower limits. */
import { createServer, type Server, toFetchHandler, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { withFixed } from '../kit/fixed-limits.ts';
import { loneCall } from '../kit/http/messages.ts';
import { openAt } from '../kit/transport/raw-connection.ts';

interface Limits {
  readonly maxValues?: number | undefined;
}

const server = createServer({
  name: 'counting',
  version: '1.0.0',
  tools: { count: tool({ inputSchema: z.object({ list: z.array(z.number()) }) }, ({ list }) => String(list.length)) },
});
const list = (length: number): number[] => Array.from({ length }, () => 1);

/** Calls the tool with a list of this length, and returns the text of the result or of the error. */
type Call = (length: number, limits?: Limits) => Promise<string>;

const shown = (reply: unknown): string => {
  const { result, error } = reply as { result?: { content: [{ text: string }] }; error?: { message: string } };
  return result?.content[0].text ?? error?.message ?? 'no answer';
};

const byAccept: Call = async (length, limits = {}) => {
  const fixed = withFixed({}, limits as { maxValues: number });
  const { ask, send, next } = await openAt(server as Server, '2026-07-28', { limits: fixed });
  send(ask(1, 'tools/call', { name: 'count', arguments: { list: list(length) } }));
  return shown(await next());
};

const byFetch: Call = async (length, limits = {}) => {
  const fixed = withFixed({}, limits as { maxValues: number });
  const handler = toFetchHandler(server, { allowedHosts: ['a.example'], limits: fixed });
  const { headers, body } = loneCall('count', { list: list(length) });
  const accept = 'application/json, text/event-stream';
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json', accept } };
  const response = await handler(new Request('http://a.example/mcp', { ...init, body: JSON.stringify(body) }));
  return shown(await response.json());
};

describe.each<[name: string, call: Call]>([
  ['accept', byAccept],
  ['toFetchHandler', byFetch],
])('a server by %s', (_, call) => {
  it('takes 100,000 values in a message by default [S24]', async () => {
    expect(await call(99_900)).toBe('99900');
    expect(await call(100_001)).toBe('A message has more than 100000 values.');
    expect(await call(100_001, { maxValues: undefined })).toBe('A message has more than 100000 values.');
  });

  it('takes as many values as limits.maxValues allows', async () => {
    expect(await call(150_000, { maxValues: 200_000 })).toBe('150000');
    expect(await call(50_000, { maxValues: 40_000 })).toBe('A message has more than 40000 values.');
  });
});
