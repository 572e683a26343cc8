/** Streams of calls without a session get keep-alive comments while they are silent. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { toFetchHandler } from '../../../src/server/http/fetch.ts';
import { call, loneCall } from '../../kit/http/messages.ts';
import type { Headers as Named } from '../../kit/http/raw-http.ts';
import { sampleServer } from '../../kit/http/sample-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function post({ headers = {}, body }: { readonly headers?: Named; readonly body: unknown }): Request {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: all as Record<string, string>,
    body: JSON.stringify(body),
  });
}

const progressing = { progressToken: 1 };
const calls = [
  ['2026-07-28', {}, loneCall('wait', {}, progressing)],
  [
    '2025-11-25 without sessions',
    { sessions: false },
    { headers: { 'mcp-protocol-version': '2025-11-25' }, body: call('wait', {}, 1, progressing) },
  ],
] as const;

it.each(calls)('a call of %s gets keep-alive comments while its stream is silent', async (_name, options, sent) => {
  const { server, release } = sampleServer();
  const handle = toFetchHandler(server, options);
  const response = await handle(post(sent));
  const text = response.text();
  await vi.advanceTimersByTimeAsync(3 * 15_000);
  release();
  const [, between = ''] = /"progress":1\b.*\n\n([^]*?)data: .*"progress":2\b/.exec(await text) ?? [];
  expect(between.match(/^:/gm)).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(vi.getTimerCount()).toBe(0);
});

it('a call that is answered with JSON starts no keep-alive timer', async () => {
  const handle = toFetchHandler(sampleServer().server);
  const response = await handle(post(loneCall('echo', { text: 'x' })));
  expect(await response.json()).toMatchObject({ id: 1, result: {} });
  expect(vi.getTimerCount()).toBe(0);
});
