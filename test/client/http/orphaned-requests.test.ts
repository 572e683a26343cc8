/** Over HTTP the stream of a call shows which server requests belong to it: they are aborted with it. */
import { connect, type ProtocolVersion } from 'tenon';

import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { event, type Json, type Received, scripted, stream } from '../../kit/http/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const sessions = sessionVersions;
const samplingRequest = event({ id: 'q', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
const nameOf = ({ message }: Received): unknown => (message.params as Json | undefined)?.name;
const isSamplingResponse = ({ message }: Received): boolean => message.id === 'q';

const aborted = (signal: AbortSignal): Promise<void> =>
  withTimeout(
    new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()))),
    'the sampling request to be aborted',
  );

async function opened(url: string, revision: ProtocolVersion) {
  const clock = createFakeClock();
  const requested = deferred<AbortSignal>();
  const client = await connect(url, {
    protocolVersions: [revision],
    reconnect: false,
    ...withClock(clock),
    timeoutMs: 1000,
    handlers: {
      sample: (_request, { signal }) => {
        requested.resolve(signal);
        return new Promise(() => {});
      },
    },
  });
  onTestFinished(() => client.close({ timeoutMs: 1 }));
  const call = (name: string, signal?: AbortSignal): Promise<string> =>
    client.tools.call(name, {}, signal && { signal }).then(
      () => 'done',
      ({ code }) => code,
    );
  return { clock, requested: () => withTimeout(requested.promise, 'the sampling request'), call };
}

describe.each(sessions)('A server request at %s', (revision) => {
  it('in the response to a call is aborted with that call, and the timeouts of other calls run again', async () => {
    const server = await scripted((one) => {
      if (one.message.method !== 'tools/call') return false;
      return stream(one.response, nameOf(one) === 'ask' ? samplingRequest : ': held\n\n');
    });
    const { call, requested, clock } = await opened(server.url, revision);
    const other = call('hang');
    await server.until((one) => nameOf(one) === 'hang');
    const controller = new AbortController();
    const calling = call('ask', controller.signal);
    const signal = await requested();
    clock.advance(3000);
    controller.abort();
    expect(await calling).toBe('cancelled');
    await aborted(signal);
    expect((await server.until(isSamplingResponse)).message).toMatchObject({ error: { code: -32603 } });
    clock.advance(3001);
    expect(await withTimeout(other, 'the timeout')).toBe('timeout');
  });

  it('in the response to a cancelled call is answered with an error, and no handler runs', async () => {
    const server = await scripted((one) => {
      if (one.message.method === 'tools/call') return stream(one.response, ': held\n\n');
      // The client reads on until the cancellation is accepted.
      return one.message.method === 'notifications/cancelled' ? undefined : false;
    });
    const { call } = await opened(server.url, revision);
    const controller = new AbortController();
    const calling = call('ask', controller.signal);
    const { response } = await server.until((one) => nameOf(one) === 'ask');
    controller.abort();
    expect(await calling).toBe('cancelled');
    response.write(samplingRequest);
    expect((await server.until(isSamplingResponse)).message).toMatchObject({ error: { code: -32603 } });
  });

  it('on the GET stream is aborted with the only pending call', async () => {
    const server = await scripted((one) => {
      if (one.method === 'GET') return stream(one.response);
      if (one.message.method !== 'tools/call') return false;
      server.received.find(({ method }) => method === 'GET')?.response.write(samplingRequest);
      return stream(one.response, ': held\n\n');
    });
    const { call, requested } = await opened(server.url, revision);
    const controller = new AbortController();
    const calling = call('ask', controller.signal);
    const signal = await requested();
    controller.abort();
    expect(await calling).toBe('cancelled');
    await aborted(signal);
    expect((await server.until(isSamplingResponse)).message).toMatchObject({ error: { code: -32603 } });
  });
});

it('A server request over HTTP+SSE is aborted with the only pending call', async () => {
  const server = await scripted((one) => {
    const { method, message, response, path } = one;
    if (method === 'GET') return stream(response, 'event: endpoint\ndata: /messages\n\n');
    if (path === '/mcp') return response.writeHead(405).end();
    response.writeHead(202).end();
    const send = (text: string): unknown =>
      server.received.find((other) => other.method === 'GET')?.response.write(text);
    if (message.method === 'tools/call') send(samplingRequest);
    const { protocolVersion } = (message.params ?? {}) as Json;
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
    if (message.method === 'initialize') send(event({ id: message.id, result }));
    return;
  });
  const { call, requested } = await opened(server.url, '2024-11-05');
  const controller = new AbortController();
  const calling = call('ask', controller.signal);
  const signal = await requested();
  controller.abort();
  expect(await calling).toBe('cancelled');
  await aborted(signal);
  expect((await server.until(isSamplingResponse)).message).toMatchObject({ error: { code: -32603 } });
});
