import { connect, createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { envelope, type Json, openAt, openRaw, request } from '../../kit/transport/raw-connection.ts';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

const makeServer = () =>
  createServer({
    name: 'talkative',
    version: '1',
    tools: {
      talk: tool({}, (_given, { log }) => {
        for (const level of levels) log(level, { logged: level }, level === 'error' ? 'kitchen' : undefined);
        return 'talked';
      }),
      vague: tool({}, (_given, { log }) => {
        for (const data of [undefined, Symbol('x'), () => 'x', 0]) log('emergency', data);
        return 'done';
      }),
      late: tool({ inputSchema: z.object({}) }, (_given, { log }) => {
        queueMicrotask(() => log('emergency', 'too late'));
        return 'done';
      }),
    },
  });

const talk = { name: 'talk' };
const levelsIn = (messages: Json[]): unknown[] =>
  messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => (params as Json).level);

describe.each(protocolVersions)('logging at %s', (revision) => {
  const exchange = revision === '2026-07-28';
  const logLevelKey = 'io.modelcontextprotocol/logLevel';

  it('is declared [e-logging-03, s-logging-01]', async () => {
    const client = await connect(makeServer(), { protocolVersions: [revision] });
    expect(client.capabilities.logging).toEqual({});
  });

  it.each(levels)(
    'sends everything of the level %s and above, with logger and data, before the result [S13, e-logging-05, s-logging-02, s-logging-03]',
    async (level) => {
      const received: unknown[] = [];
      const client = await connect(makeServer(), {
        protocolVersions: [revision],
        logLevel: level,
        onLog: (entry) => received.push(entry),
      });
      await client.tools.call('talk');
      const expected = levels.slice(levels.indexOf(level));
      expect(received).toEqual(
        expected.map((each) => ({
          level: each,
          logger: each === 'error' ? 'kitchen' : undefined,
          data: { logged: each },
        })),
      );
      await client.setLogLevel('emergency');
      await client.tools.call('talk');
      expect(received.slice(expected.length)).toMatchObject([{ level: 'emergency' }]);
    },
  );

  it('uses the level of the connection, or of the request [e-logging-04, s-logging-04]', async () => {
    const server = makeServer();
    const [one, other] = [await openAt(server, revision), await openAt(server, revision)];
    if (!exchange) one.send(request(1, 'logging/setLevel', { level: 'alert' }));
    one.send(
      exchange ? request(2, 'tools/call', envelope(talk, { [logLevelKey]: 'alert' })) : one.ask(2, 'tools/call', talk),
    );
    other.send(other.ask(2, 'tools/call', talk));
    expect(levelsIn(await one.settled())).toEqual(['alert', 'emergency']);
    expect(levelsIn(await other.settled())).toEqual(exchange ? [] : levels.slice(1));
    if (exchange) one.send(one.ask(3, 'tools/call', talk));
    expect(levelsIn(await one.settled())).toEqual([]);
  });

  it('refuses an unknown level [e-logging-07, s-logging-05]', async () => {
    const { send, settled } = await openAt(makeServer(), revision);
    for (const [id, level] of ['loud', '', 5, null].entries()) {
      if (exchange) send(request(id, 'tools/call', envelope(talk, { [logLevelKey]: level })));
      else send(request(id, 'logging/setLevel', { level }));
    }
    expect(await settled()).toMatchObject([0, 1, 2, 3].map((id) => ({ id, error: { code: -32602 } })));
  });

  it('sends null as data where a handler logs a value that JSON lacks', async () => {
    const { send, ask, settled } = await openAt(makeServer(), revision);
    const vague = { name: 'vague' };
    send(
      exchange ? request(1, 'tools/call', envelope(vague, { [logLevelKey]: 'debug' })) : ask(1, 'tools/call', vague),
    );
    const entries = (await settled()).filter(({ method }) => method === 'notifications/message');
    expect(entries.map(({ params }) => (params as Json).data)).toEqual([null, null, null, 0]);
  });

  it('sends nothing for a call that is answered', async () => {
    const received: unknown[] = [];
    const client = await connect(makeServer(), {
      protocolVersions: [revision],
      logLevel: 'debug',
      onLog: (entry) => received.push(entry),
    });
    await client.tools.call('late');
    await client.tools.call('late');
    expect(received).toEqual([]);
  });
});

describe('logging in exchanges', () => {
  it('is never sent to a subscription, only to the call itself [e-logging-06]', async () => {
    const { send, settled } = openRaw(makeServer());
    const filter = { notifications: { toolsListChanged: true } };
    send(request('listen', 'subscriptions/listen', envelope(filter, { 'io.modelcontextprotocol/logLevel': 'debug' })));
    send(request(1, 'tools/call', envelope(talk)));
    const messages = await settled();
    expect(messages.map(({ method, id }) => method ?? id)).toEqual(['notifications/subscriptions/acknowledged', 1]);
  });
});
