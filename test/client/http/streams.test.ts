/** Event streams that close, break and resume, lost sessions, and cancelled calls. */
import { type ConnectOptions, connect, type ProtocolVersion } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withDeadlines } from '../../../src/lib/time/internal-deadlines.ts';
import {
  alone,
  answer,
  event,
  type Json,
  type Received,
  refuse,
  scripted,
  stream,
  textResult,
} from '../../kit/http/scripted-server.ts';
import { isSession, sessionVersions } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const sessions = sessionVersions;
const resumable = sessions.filter((id) => id !== '2024-11-05');
const isGet = ({ method }: Received): boolean => method === 'GET';
const resumes = ({ method, headers }: Received): boolean => method === 'GET' && headers['last-event-id'] !== undefined;

/** Answers initialize with a session id. The script handles the other requests. */
const inSession =
  (script: (received: Received) => unknown) =>
  (received: Received): unknown => {
    const { message, response } = received;
    if (message.method !== 'initialize') return script(received);
    const { protocolVersion } = message.params as Json;
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: 's', version: '1' };
    return answer(response, message.id, { protocolVersion, capabilities, serverInfo }, { 'mcp-session-id': 'one' });
  };

async function opened(url: string, revision: ProtocolVersion, options: ConnectOptions = {}) {
  const client = await connect(url, { protocolVersions: [revision], reconnect: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

const timed = (): { clock: FakeClock; deadlines: ReturnType<typeof createDeadlines> } => {
  const clock = createFakeClock();
  return { clock, deadlines: createDeadlines(clock) };
};

/** Advances the clock step by step until the condition holds. */
const passing = (clock: FakeClock, holds: () => boolean): Promise<void> =>
  vi.waitFor(
    () => {
      if (!holds()) clock.advance(100);
      expect(holds()).toBe(true);
    },
    { interval: 1, timeout: 5000 },
  );

describe.each(resumable)('a stream that breaks at %s', (revision) => {
  it.each(['ends', 'is cut'])(
    'and %s before its response arrived is resumed by GET where it stopped [s-http-17, s-http-45, s-http-48]',
    async (how) => {
      const { clock, deadlines } = timed();
      const server = await scripted(
        inSession((received) => {
          const { message, response } = received;
          if (resumes(received))
            return stream(
              response,
              event({ id: server.posted('tools/call')[0]?.message.id, result: textResult('late') }, 'e2'),
            ).end();
          if (message.method !== 'tools/call') return false;
          stream(response, 'id: e1\ndata:\n\n');
          return how === 'ends' ? response.end() : setImmediate(() => response.destroy());
        }),
      );
      const client = await opened(server.url, revision, { ...withDeadlines(deadlines) });
      const call = client.tools.call('look');
      await server.until(({ message }) => message.method === 'tools/call');
      await passing(clock, () => server.received.some(resumes));
      expect(await withTimeout(call, 'the answer')).toMatchObject(textResult('late'));
      const again = server.received.find(resumes);
      expect(again?.headers).toMatchObject({
        'last-event-id': 'e1',
        'mcp-session-id': 'one',
        accept: 'text/event-stream',
      });
      expect(server.posted('tools/call')).toHaveLength(1);
    },
  );

  it('is not resumed before its `retry` has passed [s-http-19]', async () => {
    const { clock, deadlines } = timed();
    const server = await scripted(
      inSession((received) => {
        const { message, response } = received;
        if (resumes(received))
          return stream(
            response,
            event({ id: server.posted('tools/call')[0]?.message.id, result: textResult('late') }),
          ).end();
        if (message.method !== 'tools/call') return false;
        return stream(response, 'id: e1\nretry: 7000\ndata:\n\n').end();
      }),
    );
    const client = await opened(server.url, revision, { ...withDeadlines(deadlines) });
    const call = client.tools.call('look');
    const { closed } = await server.until(({ message }) => message.method === 'tools/call');
    await withTimeout(closed, 'the stream to close');
    const begun = clock.now();
    await passing(clock, () => server.received.some(resumes));
    expect(clock.now() - begun).toBeGreaterThanOrEqual(7000);
    expect(await withTimeout(call, 'the answer')).toMatchObject(textResult('late'));
  });

  it.each([400, 401, 405])(
    'and is refused with %i on resuming fails its call with outcome-unknown, and nothing else',
    async (status) => {
      const { clock, deadlines } = timed();
      const server = await scripted(
        inSession((received) => {
          const { message, response } = received;
          if (resumes(received)) return refuse(response, status);
          const params = message.params as Json | undefined;
          return params?.name === 'lost' ? stream(response, 'id: e1\ndata:\n\n').end() : false;
        }),
      );
      const client = await opened(server.url, revision, { ...withDeadlines(deadlines) });
      const call = client.tools.call('lost');
      call.catch(() => {});
      await server.until(({ message }) => message.method === 'tools/call');
      await passing(clock, () => server.received.some(resumes));
      await expect(withTimeout(call, 'the failure')).rejects.toMatchObject({
        code: 'outcome-unknown',
        details: { method: 'tools/call' },
        cause: { details: { status } },
      });
      expect(await client.tools.call('look')).toMatchObject(textResult('done'));
    },
  );
});

it.each(['2024-11-05', alone] as const)(
  'at %s a broken stream is not resumed: the call fails [e-http-25]',
  async (revision) => {
    const server = await scripted(
      ({ message, response }) => message.method === 'tools/call' && stream(response, 'id: e1\ndata:\n\n').end(),
    );
    const client = await opened(server.url, revision);
    await expect(client.tools.call('look')).rejects.toMatchObject({
      code: expect.stringMatching(/connection-closed|outcome-unknown/),
    });
    expect(server.received.filter(resumes)).toEqual([]);
  },
);

describe.each(sessions)('the GET stream at %s', (revision) => {
  it('delivers notifications, and is requested again when it closes [s-http-29]', async () => {
    const { clock, deadlines } = timed();
    const listChanged = event({ method: 'notifications/tools/list_changed' }, 'n1');
    const server = await scripted(
      inSession((received) => isGet(received) && stream(received.response, listChanged).end()),
    );
    const client = await opened(server.url, revision, { ...withDeadlines(deadlines) });
    const changes = await client.subscribe({ toolsListChanged: true });
    const seen = changes[Symbol.asyncIterator]();
    await server.until(isGet);
    expect((await withTimeout(seen.next(), 'a change')).value).toEqual({ type: 'tools' });
    await passing(clock, () => server.received.filter(isGet).length > 1);
    const [, again] = server.received.filter(isGet);
    expect(again?.headers['last-event-id']).toBe('n1');
    expect((await withTimeout(seen.next(), 'the next change')).value).toEqual({ type: 'tools' });
  });

  it('may be missing: a server without it causes no warning', async () => {
    const warnings: Error[] = [];
    for (const status of [400, 404, 405]) {
      const server = await scripted(inSession((received) => isGet(received) && refuse(received.response, status)));
      const client = await opened(server.url, revision, { onWarning: (error) => warnings.push(error) });
      expect(await client.tools.call('look')).toMatchObject(textResult('done'));
      expect(server.received.filter(isGet)).toHaveLength(1);
    }
    expect(warnings).toEqual([]);
  });

  it('may carry a server request, which is answered by its own POST', async () => {
    const server = await scripted(
      inSession((received) => {
        const { message, response } = received;
        if (isGet(received)) return stream(response, event({ id: 'q', method: 'ping' }));
        return message.id === 'q' && response.writeHead(202).end();
      }),
    );
    await opened(server.url, revision);
    const { message } = await server.until((one) => one.message.id === 'q');
    expect(message).toEqual({ jsonrpc: '2.0', id: 'q', result: {} });
  });
});

describe.each(sessions)('a session at %s that the server has lost', (revision) => {
  it('closes the connection with session-expired [s-http-57]', async () => {
    let lost: Error | undefined;
    const server = await scripted(
      inSession(({ message, response }) => message.method === 'tools/call' && refuse(response, 404)),
    );
    const client = await opened(server.url, revision, { onClose: (reason) => (lost = reason) });
    await expect(client.tools.call('look')).rejects.toMatchObject({
      code: expect.stringMatching(/connection-closed|session-expired|outcome-unknown/),
    });
    await vi.waitFor(() => expect(lost).toMatchObject({ code: 'session-expired', hint: expect.any(String) }));
  });

  it('is replaced by a client that reconnects, without the old id [s-http-57]', async () => {
    let calls = 0;
    const server = await scripted(
      inSession(({ message, response }) => message.method === 'tools/call' && calls++ === 0 && refuse(response, 404)),
    );
    const client = await opened(server.url, revision, { reconnect: true });
    await client.tools.call('look').catch(() => {});
    await server.until(({ message }) => message.method === 'initialize', 2);
    expect(server.posted('initialize').map(({ headers }) => headers['mcp-session-id'])).toEqual([undefined, undefined]);
    expect(await withTimeout(client.tools.call('look'), 'the answer')).toMatchObject(textResult('done'));
  });
});

describe('a cancelled call', () => {
  const holds = (received: Received): unknown =>
    received.message.method === 'tools/call' && stream(received.response, ': held\n\n');

  it('without a session closes its connection and sends no notification', async () => {
    const server = await scripted(holds);
    const client = await opened(server.url, alone);
    const controller = new AbortController();
    const call = client.tools.call('look', {}, { signal: controller.signal });
    const { closed } = await server.until(({ message }) => message.method === 'tools/call');
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await withTimeout(closed, 'the client to disconnect');
    expect(server.posted('notifications/cancelled')).toEqual([]);
  });

  it.each(sessions)('at %s sends a cancellation, and then closes its stream [s-http-27]', async (revision) => {
    const server = await scripted(inSession(holds));
    const client = await opened(server.url, revision);
    const controller = new AbortController();
    const call = client.tools.call('look', {}, { signal: controller.signal });
    const { closed, message } = await server.until((one) => one.message.method === 'tools/call');
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    const cancellation = await server.until((one) => one.message.method === 'notifications/cancelled');
    expect(cancellation.message.params).toMatchObject({ requestId: message.id });
    await withTimeout(closed, 'the client to disconnect');
  });
});

describe('limits', () => {
  it.each([alone, '2025-11-25'] as const)(
    'a body that is too large at %s fails its call and is read no further',
    async (revision) => {
      const large = 'x'.repeat(40_000);
      const server = await scripted(
        ({ message, response }) =>
          message.method === 'tools/call' && answer(response, message.id, textResult(large)) === undefined,
      );
      const client = await opened(server.url, revision, { limits: { maxMessageChars: 4000 } });
      await expect(client.tools.call('look')).rejects.toMatchObject({ code: 'message-too-large' });
      expect(await client.tools.list().all()).toEqual([]);
    },
  );

  it.each([alone, '2025-11-25'] as const)('an event that is too large at %s fails its call', async (revision) => {
    const large = event({ id: 1, result: textResult('x'.repeat(40_000)) });
    const server = await scripted(
      ({ message, response }) => message.method === 'tools/call' && stream(response, large),
    );
    const client = await opened(server.url, revision, { limits: { maxMessageChars: 4000 } });
    await expect(client.tools.call('look')).rejects.toMatchObject({ code: 'message-too-large' });
  });

  it('a GET stream that the server closes repeatedly is requested with growing delays while the session lasts', async () => {
    const { clock, deadlines } = timed();
    const server = await scripted(inSession((received) => isGet(received) && stream(received.response).end()));
    const client = await opened(server.url, '2025-11-25', { ...withDeadlines(deadlines), timeoutMs: 10_000_000 });
    await passing(clock, () => server.received.filter(isGet).length === 8);
    expect(clock.now()).toBeGreaterThan(15_000);
    const before = clock.now();
    await passing(clock, () => server.received.filter(isGet).length === 12);
    expect(clock.now() - before).toBeGreaterThanOrEqual(4 * 15_000);
    expect(clock.now() - before).toBeLessThan(8 * 30_000);
    expect(await client.tools.call('look')).toMatchObject(textResult('done'));
  });
});

it('a client has at most a hundred subscriptions at the same time', async () => {
  const listens = ({ message, response }: Received): unknown => {
    if (message.method !== 'subscriptions/listen') return false;
    const { notifications } = message.params as Json;
    const _meta = { 'io.modelcontextprotocol/subscriptionId': message.id };
    return stream(
      response,
      event({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } }),
    );
  };
  const server = await scripted(listens);
  const client = await opened(server.url, alone);
  const open = await Promise.all(Array.from({ length: 100 }, () => client.subscribe({ toolsListChanged: true })));
  await expect(client.subscribe({ toolsListChanged: true })).rejects.toMatchObject({ code: 'queue-full' });
  await open[0]?.close();
  await expect(client.subscribe({ toolsListChanged: true })).resolves.toMatchObject({
    acknowledged: { toolsListChanged: true },
  });
});

describe.each(protocolVersions)('a response at %s', (revision) => {
  const proofs = !isSession(revision) ? '[e-http-16, e-http-24]' : '[s-http-14]';
  it(`may be one JSON body or an event stream with other messages ${proofs}`, async () => {
    const steps: number[] = [];
    const server = await scripted(({ message, response }) => {
      const params = message.params as { name?: string; _meta?: Json } | undefined;
      if (params?.name !== 'streamed') return false;
      const progress = { progressToken: params._meta?.progressToken, progress: 1 };
      const result = { ...textResult('streamed'), ...(!isSession(revision) && { resultType: 'complete' }) };
      const text = `: hello\n\n${event({ method: 'notifications/progress', params: progress })}${event({ id: message.id, result })}`;
      stream(response);
      // Chunks of seven characters split events and fields anywhere.
      for (let at = 0; at < text.length; at += 7) response.write(text.slice(at, at + 7));
      return response.end();
    });
    const client = await opened(server.url, revision);
    expect(await client.tools.call('plain')).toMatchObject(textResult('done'));
    const onProgress = ({ progress }: { progress: number }): void => void steps.push(progress);
    expect(await client.tools.call('streamed', {}, { onProgress })).toMatchObject(textResult('streamed'));
    expect(steps).toEqual([1]);
  });
});

it('without a session, a server request on a stream gets no response by POST [e-http-11]', async () => {
  const server = await scripted(({ message, response }) => {
    const params = message.params as Json | undefined;
    if (params?.name !== 'asks') return false;
    const result = { ...textResult('asked'), resultType: 'complete' };
    return stream(response, event({ id: 'q', method: 'ping' }) + event({ id: message.id, result })).end();
  });
  const client = await opened(server.url, alone);
  expect(await client.tools.call('asks')).toMatchObject(textResult('asked'));
  await client.tools.call('after');
  expect(server.received.map(({ message }) => message.method)).toEqual(['server/discover', 'tools/call', 'tools/call']);
});

it('a call that is queued until the handshake is complete was never sent, and is sent in the next session', async () => {
  const isInitialized = ({ message }: Received): boolean => message.method === 'notifications/initialized';
  const server = await scripted(
    inSession((one) => (isInitialized(one) && server.received.filter(isInitialized).length === 1 ? undefined : false)),
  );
  const client = await opened(server.url, '2025-11-25', { reconnect: { initialDelayMs: 1 } });
  const { response } = await server.until(isInitialized);
  const call = client.tools.call('pay');
  refuse(response, 404);
  expect(await withTimeout(call, 'the answer')).toMatchObject(textResult('done'));
  expect(server.posted('tools/call')).toHaveLength(1);
});

it('without a session, a retryable call whose stream breaks is sent again under another id [e-changelog-01]', async () => {
  const server = await scripted(({ message, response }) => {
    if (message.method !== 'tools/call' || server.posted('tools/call').length > 1) return false;
    stream(response, event({ method: 'notifications/message', params: { level: 'info', data: 'begun' } }));
    return response.destroy();
  });
  const client = await opened(server.url, alone, { reconnect: { initialDelayMs: 1 } });
  expect(await client.tools.call('look', {}, { retryable: true })).toMatchObject(textResult('done'));
  const ids = server.posted('tools/call').map(({ message }) => message.id);
  expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
});
