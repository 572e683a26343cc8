/** A tap sees every message and what happened around it, at both sides and over every transport, and changes nothing. */
import { connect, createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { createMemoryTransports, type Tap, type TapEvent } from 'tenon/transport';
import { expect, it } from 'vitest';
import { program, rawServerScript } from '../kit/process/node-script.ts';

const server = () => createServer({ name: 'tapped', version: '1.0.0', tools: { echo: tool({}, () => 'hi') } });

function recorded(): { readonly events: TapEvent[]; readonly tap: Tap } {
  const events: TapEvent[] = [];
  return { events, tap: (event) => void events.push(event) };
}

const messages = (events: readonly TapEvent[]): string[] =>
  events.flatMap((event) =>
    event.kind === 'message' ? [`${event.from} ${JSON.parse(event.text).method ?? 'answer'}`] : [],
  );

it('a client reports its connection from the first event to the last', async () => {
  const { events, tap } = recorded();
  const client = await connect(server(), { tap });
  await client.tools.call('echo');
  await client.close();
  expect(events[0]).toMatchObject({ kind: 'open', side: 'client', transport: 'memory', seq: 1, connection: 1 });
  expect(messages(events)).toEqual(['client server/discover', 'server answer', 'client tools/call', 'server answer']);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.flatMap((event) => (event.kind === 'state' ? [event.text] : []))).toContain('ready');
  expect(events.some(({ kind }) => kind === 'close')).toBe(true);
});

it('a server that accepts a transport reports the same messages as its client', async () => {
  const atServer = recorded();
  const atClient = recorded();
  const [here, there] = createMemoryTransports();
  server().accept(there, { tap: atServer.tap });
  const client = await connect(here, { tap: atClient.tap });
  await client.tools.call('echo');
  await client.close();
  expect(messages(atServer.events)).toEqual(messages(atClient.events));
  expect(atServer.events[0]).toMatchObject({ kind: 'open', side: 'server' });
});

it.each(['2026-07-28', '2025-11-25'] as const)(
  'both sides report HTTP requests and messages at %s',
  async (protocolVersion) => {
    const atServer = recorded();
    const atClient = recorded();
    const options: ServeHttpOptions = { port: 0, tap: atServer.tap };
    const service = await serveHttp(server(), options);
    const target = { url: service.url, headers: { authorization: 'Bearer abc' } };
    const client = await connect(target, { tap: atClient.tap, protocolVersions: [protocolVersion] });
    await client.tools.call('echo');
    await client.close();
    await service.close();
    const called = messages(atClient.events);
    expect(called).toContain('client tools/call');
    expect(messages(atServer.events)).toEqual(called);
    const answer = atClient.events.findLast((event) => event.kind === 'message' && event.from === 'server');
    expect(answer).toHaveProperty('respondsTo');
    const posts = (events: readonly TapEvent[]) =>
      events.filter((event) => event.kind === 'http' && event.phase === 'request' && event.method === 'POST');
    expect(posts(atServer.events)).toHaveLength(posts(atClient.events).length);
    expect(posts(atServer.events)[0]).toMatchObject({ headers: { authorization: 'Bearer abc' } });
    const statuses = atClient.events.flatMap((event) => (event.kind === 'http' && event.status ? [event.status] : []));
    expect(statuses[0]).toBe(200);
  },
);

it('the requests of a session are one connection of a server, and those of another session another', async () => {
  const { events, tap } = recorded();
  const service = await serveHttp(server(), { port: 0, tap });
  for (const _ of [1, 2]) {
    const client = await connect(service.url, { protocolVersions: ['2025-06-18'] });
    await client.tools.call('echo');
    await client.close();
  }
  await service.close();
  const calls = events.filter((event) => event.kind === 'message' && event.text.includes('tools/call'));
  const handshakes = events.filter((event) => event.kind === 'message' && event.text.includes('"initialize"'));
  expect(calls.map(({ connection }) => connection)).toEqual(handshakes.map(({ connection }) => connection));
  expect(new Set(calls.map(({ connection }) => connection)).size).toBe(2);
});

it('a client reports the process of a server: its start, what it prints, its exit', async () => {
  const { events, tap } = recorded();
  const script = rawServerScript('', `console.error('to stderr'); console.log('to stdout');`);
  const client = await connect(program(script, { stderr: 'ignore' }), { tap, onWarning: () => {} });
  await client.close();
  const phases = events.flatMap((event) => (event.kind === 'process' ? [[event.phase, event.text]] : []));
  expect(phases).toContainEqual(['stderr', 'to stderr']);
  expect(phases).toContainEqual(['stdout', 'to stdout']);
  expect(phases[0]?.[0]).toBe('started');
  expect(phases.at(-1)?.[0]).toBe('exit');
});

it('a tap that throws gets no more events, and the connection goes on', async () => {
  let events = 0;
  const client = await connect(server(), {
    tap() {
      events++;
      throw new Error('full disk');
    },
  });
  const { content } = await client.tools.call('echo');
  await client.close();
  expect(content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(events).toBe(1);
});
