/** Sessions that a server has lost, seen by calls and by a client that only subscribes. */
import { type ConnectOptions, connect, type ProtocolVersion } from 'tenon';

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import {
  answer,
  type Json,
  type Received,
  refuse,
  type Scripted,
  scripted,
  stream,
  textResult,
} from '../../kit/http/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const sessions = sessionVersions;
const capabilities = { tools: { listChanged: true } };
const noSession = { code: -32000, message: 'Bad Request: No valid session ID provided' };

interface Forgetful extends Scripted {
  /** As after a restart: streams are closed, and sessions are unknown. */
  restart(): void;
}

/** Has one session at a time, and refuses any other with this status. The script handles the other requests. */
async function forgetful(
  status: number,
  script: (received: Received) => unknown = () => false,
  byGet = status,
): Promise<Forgetful> {
  let session = 1;
  const streams = new Set<Received>();
  const server = await scripted((received) => {
    const { method, message, headers, response } = received;
    if (message.method === 'initialize') {
      const { protocolVersion } = message.params as Json;
      const result = { protocolVersion, capabilities, serverInfo: { name: 'forgetful', version: '1' } };
      return answer(response, message.id, result, { 'mcp-session-id': `session-${session}` });
    }
    if (headers['mcp-session-id'] !== `session-${session}`)
      return refuse(response, method === 'GET' ? byGet : status, noSession);
    if (method !== 'GET') return script(received);
    streams.add(received);
    return stream(response);
  });
  return Object.assign(server, {
    restart() {
      session++;
      for (const { response } of streams) response.end();
      streams.clear();
    },
  });
}

async function opened(url: string, revision: ProtocolVersion, options: ConnectOptions = {}) {
  const client = await connect(url, { protocolVersions: [revision], reconnect: { initialDelayMs: 1 }, ...options });
  onTestFinished(() => client.close());
  return client;
}

const isGet = ({ method }: Received): boolean => method === 'GET';

describe.each(sessions)('a session at %s', (revision) => {
  it.each([400, 404])(
    'that is refused with %d is replaced by a new one, and the call is sent in it',
    async (status) => {
      const server = await forgetful(status);
      const client = await opened(server.url, revision);
      await client.tools.call('look');
      server.restart();
      expect(await withTimeout(client.tools.call('look'), 'the answer')).toMatchObject(textResult('done'));
      expect(server.posted('initialize')).toHaveLength(2);
    },
  );

  it('stays when the server refuses one call with 400 and serves others, and the call gets the error', async () => {
    const isBad = ({ message }: Received): boolean => (message.params as Json | undefined)?.name === 'bad';
    const error = { code: -32600, message: 'Bad Request: no such thing' };
    const server = await forgetful(404, (one) => isBad(one) && refuse(one.response, 400, error));
    const client = await opened(server.url, revision);
    await client.tools.call('look');
    const bad = await Promise.all([1, 2, 3].map(() => client.tools.call('bad').catch((rejection) => rejection)));
    for (const one of bad) expect(one).toMatchObject({ code: error.code, message: error.message });
    expect(await client.tools.call('look')).toMatchObject(textResult('done'));
    expect([server.posted('initialize').length, server.posted('tools/call').length]).toEqual([1, 5]);
  });

  // A server without GET streams answers 405, as one may that replaces another.
  it.each([400, 404, 405])(
    'is replaced by a client that only subscribes, once its stream is refused with %d',
    async (status) => {
      const clock = createFakeClock();
      const server = await forgetful(status === 405 ? 404 : status, undefined, status);
      const client = await opened(server.url, revision, { ...withClock(clock) });
      const changes = await client.subscribe({ toolsListChanged: true });
      const next = changes[Symbol.asyncIterator]().next();
      await server.until(isGet);
      server.restart();
      const passing = vi.waitFor(
        () => {
          clock.advance(100);
          expect(server.posted('initialize')).toHaveLength(2);
        },
        { interval: 5, timeout: 5000 },
      );
      await passing;
      expect((await withTimeout(next, 'a change')).value).toEqual({ type: 'tools' });
      expect(client.connection.state).toBe('ready');
    },
  );
});
