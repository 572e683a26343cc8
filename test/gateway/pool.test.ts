/** The connections to an upstream: how many, how long calls wait for one, and when none is opened any more. */
import { createServer, type ProtocolVersion, type Server, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { Circuit } from '../../src/gateway/connections/circuit.ts';
import { createFakeClock, type FakeClock } from '../../src/lib/time/fake-clock.ts';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { createDeferred } from '../../src/lib/values/deferred.ts';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { envelope, request } from '../kit/transport/raw-connection.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { openAs, openClient, served, startGateway, textOf, upstreamPer } from './start.ts';

const sessions = [newestSession.id as ProtocolVersion];
const handlers = { roots: [] };

/** Its tool waits until the test lets it go on. */
function waiting() {
  const begun: (() => void)[] = [];
  const arrived: (() => void)[] = [];
  const create = (connection: number): Server =>
    createServer({
      name: 'waiting',
      version: '1.0.0',
      tools: {
        wait: tool({}, async () => {
          const { promise, resolve } = createDeferred<void>();
          begun.push(resolve);
          for (const run of arrived.splice(0)) run();
          await promise;
          return String(connection);
        }),
      },
    }) as Server;
  const calls = async (count: number): Promise<void> => {
    while (begun.length < count)
      await withTimeout(new Promise<void>((resolve) => arrived.push(resolve)), `${count} calls`);
  };
  return { ...upstreamPer(create), begun, calls };
}

/** The error of one request: a client would send a call again that was refused before it began. */
async function answerTo({ url, principal }: { url: string; principal: string }): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${principal}`,
      'mcp-protocol-version': exchangeVersion,
      'mcp-method': 'tools/call',
      'mcp-name': 'wait',
    },
    body: JSON.stringify(
      request(
        1,
        'tools/call',
        envelope({ name: 'wait' }, { 'io.modelcontextprotocol/clientCapabilities': { roots: {} } }),
      ),
    ),
  });
  return ((await response.json()) as { error: Record<string, unknown> }).error;
}

describe('An upstream in a session over one stream', () => {
  it('gets another connection for each call of a caller that it could ask, and no more than the limit of an owner', async () => {
    const upstream = waiting();
    const { gateway } = startGateway({
      one: { ...upstream.options, protocolVersions: sessions, limits: { maxConnectionsPerOwner: 2, queueMs: 60_000 } },
    });
    const url = await served(gateway.server);
    const clients = await Promise.all([0, 1, 2].map(() => openAs('ada', url, { handlers })));
    const results = clients.map(async (client) => textOf(await client.tools.call('wait')));
    await upstream.calls(2);
    await expect.poll(() => gateway.status().upstreams.one?.waiting).toBe(1);
    expect(upstream.opened()).toBe(2);
    upstream.begun[0]?.();
    await upstream.calls(3);
    for (const go of upstream.begun) go();
    expect((await Promise.all(results)).toSorted()).toHaveLength(3);
    expect(upstream.opened()).toBe(2);
  });

  it('refuses a call by the name overloaded when it has waited too long, or too many wait', async () => {
    const upstream = waiting();
    const limits = { maxConnectionsPerOwner: 1, queueMs: 20 };
    const { gateway } = startGateway({ one: { ...upstream.options, protocolVersions: sessions, limits } });
    const url = await served(gateway.server);
    const first = await openAs('ada', url, { handlers });
    const second = { url, principal: 'ada' };
    const call = first.tools.call('wait');
    await upstream.calls(1);
    // It comes from the same owner, and cannot wait for itself.
    await expect(answerTo(second)).resolves.toMatchObject({
      code: -31503,
      message: 'All connections to the upstream "one" are in use.',
      data: { outcome: 'not-started' },
    });
    upstream.begun[0]?.();
    expect(textOf(await call)).toBe('1');
  });

  it('serves calls at once on one connection if their callers cannot be asked', async () => {
    const upstream = waiting();
    const { gateway } = startGateway({ one: { ...upstream.options, protocolVersions: sessions } });
    const url = await served(gateway.server);
    const clients = await Promise.all([0, 1, 2].map(() => openAs('ada', url)));
    const results = clients.map((client) => client.tools.call('wait'));
    await upstream.calls(3);
    for (const go of upstream.begun) go();
    await Promise.all(results);
    expect(upstream.opened()).toBe(1);
  });

  it('serves calls of one session at once', async () => {
    const upstream = waiting();
    const { gateway } = startGateway({ one: { ...upstream.options, protocolVersions: sessions } });
    const client = await openClient(gateway.server, { handlers, protocolVersions: sessions });
    const results = [client.tools.call('wait'), client.tools.call('wait')];
    await upstream.calls(2);
    for (const go of upstream.begun) go();
    await Promise.all(results);
    expect(upstream.opened()).toBe(1);
  });
});

it('A gateway has no more connections than its limit: an idle one closes for another', async () => {
  const numbered = upstreamPer(
    (connection) =>
      createServer({ name: 'n', version: '1', tools: { number: tool({}, () => String(connection)) } }) as Server,
  );
  const { gateway } = startGateway({ one: numbered.options }, { limits: { maxConnections: 1 } });
  const url = await served(gateway.server);
  const [ada, bob] = [await openAs('ada', url), await openAs('bob', url)];
  for (const client of [ada, bob, ada]) await client.tools.call('number');
  expect(gateway.status().upstreams.one?.connections).toBe(1);
});

it('An idle connection closes, and the next call opens another', async () => {
  const clock: FakeClock = createFakeClock();
  const numbered = upstreamPer(
    (connection) =>
      createServer({ name: 'n', version: '1', tools: { number: tool({}, () => String(connection)) } }) as Server,
  );
  const { gateway } = startGateway(
    { one: { ...numbered.options, limits: { idleMs: 1000 } } },
    { server: withClock(clock) },
  );
  const client = await openClient(gateway.server);
  expect(textOf(await client.tools.call('number'))).toBe('1');
  clock.advance(1001);
  await expect.poll(() => gateway.status().upstreams.one?.connections).toBe(0);
  expect(textOf(await client.tools.call('number'))).toBe('2');
});

it('A connection that the upstream has closed is replaced by the next call', async () => {
  const closers: (() => void)[] = [];
  const real = createServer({ name: 'n', version: '1', tools: { number: tool({}, () => 'ok') } }) as Server;
  let opened = 0;
  const accept = (transport: never): unknown => {
    opened++;
    closers.push(() => void (transport as { close(): unknown }).close());
    return real.accept(transport);
  };
  const { gateway } = startGateway({ one: { server: { accept } as never } });
  const client = await openClient(gateway.server);
  expect(textOf(await client.tools.call('number'))).toBe('ok');
  for (const close of closers) close();
  await expect.poll(() => gateway.status().upstreams.one?.connections).toBe(0);
  expect(textOf(await client.tools.call('number'))).toBe('ok');
  expect(opened).toBe(2);
});

describe('The circuit of an upstream', () => {
  it('opens after five failures, refuses with the time to wait, and tries once after it', () => {
    let now = 0;
    const circuit = new Circuit('github', () => now);
    for (let failure = 0; failure < 5; failure++) {
      expect(circuit.refusal()).toBeUndefined();
      circuit.failed(new Error('no'));
    }
    expect(circuit.state).toBe('open');
    expect(circuit.refusal()).toMatchObject({
      reason: 'overloaded',
      message: 'The upstream "github" failed 5 times. Try again in 5 s.',
      data: { outcome: 'not-started', retryAfterMs: 5000 },
    });
    now = 5000;
    expect(circuit.state).toBe('half-open');
    expect(circuit.refusal()).toBeUndefined();
    // One probe at a time.
    expect(circuit.refusal()).toBeDefined();
    circuit.failed(new Error('no'));
    expect(circuit.refusal()).toMatchObject({ data: { retryAfterMs: 10_000 } });
    now = 15_000;
    expect(circuit.refusal()).toBeUndefined();
    circuit.succeeded();
    expect(circuit.state).toBe('closed');
  });

  it('does not open for the refused credentials of one owner', async () => {
    const { TenonError } = await import('tenon');
    const circuit = new Circuit('github', () => 0);
    for (let failure = 0; failure < 9; failure++) circuit.failed(new TenonError('unauthorized', 'no'));
    expect(circuit.state).toBe('closed');
  });

  it('refuses calls of a gateway without opening a connection', async () => {
    let attempts = 0;
    const accept = () => {
      attempts++;
      throw new Error('no');
    };
    const { gateway } = startGateway({ one: { server: { accept } as never } });
    const caller = { url: await served(gateway.server), principal: 'ada' };
    const codes = [];
    for (let call = 0; call < 9; call++) codes.push((await answerTo(caller)).code);
    expect(codes).toEqual([...Array(5).fill(-32603), ...Array(4).fill(-31503)]);
    expect(attempts).toBe(5);
    // It may be the account of the only one who has tried.
    expect(gateway.status().upstreams.one).toMatchObject({ circuit: 'closed', state: 'idle' });
    for (let call = 0; call < 5; call++) await answerTo({ ...caller, principal: 'bob' });
    expect(gateway.status().upstreams.one).toMatchObject({ circuit: 'open', state: 'failing' });
  });
});
