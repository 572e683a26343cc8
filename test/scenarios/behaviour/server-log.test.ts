/** Log messages of a server outside a call: `server.log()`. */
import { connect, createServer, serveHttp, tool } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inbox } from '../../kit/inbox.ts';
import { handshake, type Json, openAt, openRaw } from '../../kit/transport/raw-connection.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const makeServer = () => createServer({ name: 'db', version: '1', tools: { ping: tool({}, () => 'pong') } });

const sessions = sessionVersions;

const logsIn = (messages: Json[]): unknown[] =>
  messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => params);

describe.each(sessions)('server.log() at %s', (revision) => {
  it('reaches every client that gets the level, with its logger [S13, s-logging-03]', async () => {
    const server = makeServer();
    const quiet = inbox<unknown>();
    const verbose = inbox<unknown>();
    const protocolVersions = [revision];
    await using one = await connect(server, { protocolVersions, logLevel: 'error', onLog: quiet.put });
    await using other = await connect(server, { protocolVersions, logLevel: 'debug', onLog: verbose.put });
    server.log('debug', { pool: 4 });
    server.log('info', 'Connected to database', 'database');
    server.log('error', 'Connection lost');
    expect(await verbose.next()).toEqual({ level: 'debug', logger: undefined, data: { pool: 4 } });
    expect(await verbose.next()).toEqual({ level: 'info', logger: 'database', data: 'Connected to database' });
    expect(await verbose.next()).toMatchObject({ level: 'error' });
    expect(await quiet.next()).toEqual({ level: 'error', logger: undefined, data: 'Connection lost' });
    expect((await one.tools.call('ping')).content).toEqual((await other.tools.call('ping')).content);
  });

  it('reaches a client over HTTP on the stream of its session [S13]', async () => {
    const server = makeServer();
    const service = await serveHttp(server, { port: 0 });
    onTestFinished(() => service.close());
    const received = inbox<unknown>();
    await using client = await connect(service.url, { protocolVersions: [revision], onLog: received.put });
    await client.tools.call('ping');
    server.log('info', 'Connected to database');
    expect(await received.next()).toMatchObject({ data: 'Connected to database' });
  });

  it('may come before notifications/initialized, and not before initialize', async () => {
    const server = makeServer();
    const { send, next, settled } = openRaw(server);
    server.log('error', 'too early');
    send(handshake(revision));
    expect(await next()).toMatchObject({ id: 'hello' });
    server.log('error', 'early');
    expect(logsIn(await settled())).toMatchObject([{ data: 'early' }]);
  });
});

it('server.log() sends nothing where log messages belong to a request [e-logging-06]', async () => {
  const server = makeServer();
  const { send, ask, next, settled } = await openAt(server, '2026-07-28');
  send(ask(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
  expect(await next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
  server.log('emergency', 'Connected to database');
  expect(logsIn(await settled())).toEqual([]);
});

it('server.log() reaches the clients of its own process only, also with a shared store', async () => {
  const store = createMemoryStore();
  const secrets = ['a secret of sixteen characters'];
  const make = async (name: string) => {
    const server = createServer({ name: 'db', version: '1', tools: { ping: tool({}, () => name) } }, { secrets });
    const service = await serveHttp(server, { port: 0, store });
    onTestFinished(() => service.close());
    return { server, url: service.url };
  };
  const [here, there] = [await make('here'), await make('there')];
  const received = inbox<{ data: unknown }>();
  await using client = await connect(here.url, { protocolVersions: ['2025-11-25'], onLog: received.put });
  await client.tools.call('ping');
  there.server.log('error', 'elsewhere');
  here.server.log('error', 'here');
  expect(await received.next()).toMatchObject({ data: 'here' });
});

describe('server.log() throws invalid-argument', () => {
  const cyclic: Json = {};
  cyclic.self = cyclic;
  it.each([
    ['an unknown level', ['warn', 'x'], 'level', /did you mean warning/],
    ['data that is not JSON', ['info', cyclic], 'data', /without cycles/],
    ['a logger that is no text', ['info', 'x', 5], 'logger', /server\.log/],
  ])('for %s, and names the place', (_what, given, place, hint) => {
    const { log } = makeServer();
    expect(() => log(...(given as Parameters<typeof log>))).toThrow(
      expect.objectContaining({ code: 'invalid-argument', details: { place }, message: expect.stringMatching(hint) }),
    );
  });
});

it('server.log() copies its data: a later change is not sent', async () => {
  const server = makeServer();
  const received = inbox<{ data: unknown }>();
  await using _client = await connect(server, { protocolVersions: ['2025-11-25'], onLog: received.put });
  const data = { rows: 1 };
  server.log('info', data);
  data.rows = 2;
  expect(await received.next()).toMatchObject({ data: { rows: 1 } });
});
