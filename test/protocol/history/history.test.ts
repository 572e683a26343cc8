/** The fold of a recording: what a connection was at any moment, whatever the messages were. */

import * as fc from 'fast-check';
import { connect, createServer, resource, tool } from 'tenon';
import { createCapture, readCapture } from 'tenon/capture';
import { describe, expect, it } from 'vitest';
import { Checkpoints } from '../../../src/protocol/history/checkpoints.ts';
import { emptyHistory, foldEvent } from '../../../src/protocol/history/fold.ts';
import type { History, HistoryEvent } from '../../../src/protocol/history/state.ts';
import { protocolVersions } from '../../../src/protocol/revisions/revisions.ts';
import { scaled } from '../../kit/long.ts';

const folded = (events: readonly HistoryEvent[]): History => events.reduce(foldEvent, emptyHistory);

type Unnumbered = HistoryEvent extends infer E
  ? E extends HistoryEvent
    ? Omit<E, 'seq' | 'ms' | 'connection'>
    : never
  : never;

const numbered = (events: readonly Unnumbered[]): HistoryEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, ms: index, connection: 1 }) as HistoryEvent);

const from = (side: 'client' | 'server', m: unknown): Unnumbered => ({ kind: 'message', from: side, m });

const server = createServer({
  name: 'recorded',
  version: '1.0.0',
  instructions: 'Be kind.',
  tools: { echo: tool({}, () => 'hi') },
  resources: { 'notes://one': resource({ name: 'one' }, () => 'text') },
});

describe('the history of a recording', () => {
  it.each(protocolVersions)('knows revision %s, both sides and their capabilities', async (version) => {
    const lines: string[] = [];
    const capture = createCapture({ write: (line) => lines.push(line) });
    const client = await connect(server, {
      tap: capture.tap,
      protocolVersions: [version],
      clientInfo: { name: 'watcher', version: '2.0.0' },
    });
    await client.tools.call('echo');
    await client.close();
    const { events } = readCapture(lines.join(''));
    const { connections } = folded(events);
    expect(connections[1]).toMatchObject({
      protocolVersion: version,
      state: 'closed',
      transport: 'memory',
      client: { name: 'watcher' },
      server: { name: 'recorded' },
      serverCapabilities: { tools: expect.any(Object) },
      instructions: 'Be kind.',
      openRequests: [],
    });
    const called = events.find((event) => event.kind === 'message' && JSON.stringify(event.m).includes('tools/call'));
    const during = new Checkpoints((seq) => events.filter((event) => event.seq > seq)).at(called?.seq ?? 0);
    expect(during.connections[1]).toMatchObject({
      state: 'ready',
      openRequests: [{ method: 'tools/call', name: 'echo', from: 'client', seq: called?.seq }],
    });
  });

  it('has open requests with their progress until they are answered, cancelled or the connection closes', () => {
    const events = numbered([
      from('client', { id: 1, method: 'tools/call', params: { name: 'a', _meta: { progressToken: 'p' } } }),
      from('client', { id: 2, method: 'tools/call', params: { name: 'b' } }),
      from('server', { id: 1, method: 'sampling/createMessage', params: {} }),
      from('server', { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } }),
      from('client', { id: 1, error: { code: -1, message: 'no' } }),
      from('client', { method: 'notifications/cancelled', params: { requestId: 2 } }),
      from('server', { id: 1, result: { isError: true } }),
      from('client', { id: 3, method: 'ping' }),
      { kind: 'close', text: '' },
    ]);
    const open = (seq: number): unknown[] | undefined =>
      folded(events.slice(0, seq)).connections[1]?.openRequests.map(({ from: side, id }) => `${side} ${id}`);
    expect(open(4)).toEqual(['client 1', 'client 2', 'server 1']);
    expect(folded(events.slice(0, 4)).connections[1]?.openRequests[0]).toMatchObject({ progress: { progress: 1 } });
    expect(open(5)).toEqual(['client 1', 'client 2']);
    expect(open(6)).toEqual(['client 1']);
    expect(open(7)).toEqual([]);
    expect(open(8)).toEqual(['client 3']);
    expect(open(9)).toEqual([]);
    expect(folded(events).connections[1]?.counts).toMatchObject({ messages: 8, requests: 4, responses: 2, errors: 2 });
  });

  it('has subscriptions of both lifecycles, log levels and tasks', () => {
    const events = numbered([
      from('client', { id: 1, method: 'resources/subscribe', params: { uri: 'a:1' } }),
      from('server', { id: 1, result: {} }),
      from('client', {
        id: 2,
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions: ['b:1'] } },
      }),
      from('client', { id: 3, method: 'logging/setLevel', params: { level: 'debug' } }),
      from('server', { id: 4, result: { task: { taskId: '__proto__', status: 'working' } } }),
      from('server', { method: 'notifications/tasks/status', params: { taskId: '__proto__', status: 'completed' } }),
      from('client', { id: 5, method: 'resources/unsubscribe', params: { uri: 'a:1' } }),
      from('server', { id: 5, result: {} }),
      from('server', { id: 2, result: {} }),
    ]);
    const at = (seq: number) => folded(events.slice(0, seq)).connections[1];
    expect(at(1)?.subscriptions).toEqual([]);
    expect(at(3)?.subscriptions).toEqual(['a:1', 'b:1']);
    expect(at(8)?.subscriptions).toEqual(['b:1']);
    expect(at(9)?.subscriptions).toEqual([]);
    expect(at(9)?.logLevel).toBe('debug');
    expect(Object.entries(at(9)?.tasks ?? {})).toEqual([['__proto__', { status: 'completed', seq: 6 }]]);
  });

  it('at random moments is the full fold, also after the oldest events were dropped [S32]', () => {
    const id = fc.integer({ min: 0, max: 5 });
    const side = fc.constantFrom('client' as const, 'server' as const);
    const message = fc.oneof(
      fc.record({
        id,
        method: fc.constantFrom('tools/call', 'initialize', 'resources/subscribe'),
        params: fc.jsonValue(),
      }),
      fc.record({ id, result: fc.jsonValue() }),
      fc.record({ id, error: fc.jsonValue() }),
      fc.record({ method: fc.constantFrom('notifications/cancelled'), params: fc.record({ requestId: id }) }),
      fc.record({ id, result: fc.record({ taskId: fc.constantFrom('a', '__proto__'), status: fc.string() }) }),
      fc.jsonValue(),
    );
    const event = fc.oneof(
      fc.record({ kind: fc.constant('message' as const), from: side, m: message }),
      fc.constantFrom<Unnumbered>(
        { kind: 'close', text: '' },
        { kind: 'state', text: 'ready' },
        { kind: 'warning', text: '' },
      ),
    );
    const some = fc.array(fc.tuple(event, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        some,
        fc.array(fc.nat(4199), { minLength: 1, maxLength: 6 }),
        fc.nat(3000),
        (pattern, moments, dropped) => {
          // Repeated beyond several checkpoints; every second number is missing, as in a live recording.
          const events = Array.from({ length: 2100 }, (_, index) => {
            const [one, connection] = pattern[index % pattern.length] ?? [{ kind: 'state', text: '' } as const, 1];
            return { ...one, seq: index * 2 + 1, ms: index, connection } as HistoryEvent;
          });
          let stored: readonly HistoryEvent[] = events;
          const checkpoints = new Checkpoints((seq) => stored.filter((one) => one.seq > seq));
          const full = (moment: number): History => folded(events.filter((one) => one.seq <= moment));
          for (const moment of moments) expect(checkpoints.at(moment)).toEqual(full(moment));
          checkpoints.drop(dropped);
          stored = events.filter((one) => one.seq > dropped);
          for (const moment of moments.filter((one) => one > dropped))
            expect(checkpoints.at(moment)).toEqual(full(moment));
        },
      ),
      { numRuns: scaled(1, 8) },
    );
  });

  it('has a bounded size, however many requests, tasks and connections are never finished', () => {
    let state = emptyHistory;
    for (let seq = 1; seq <= 1100; seq++) {
      const m = { id: seq, method: 'tools/call', params: { taskId: `t${seq}`, status: 'working' } };
      state = foldEvent(state, { kind: 'message', from: 'client', m, seq, ms: 0, connection: 1 });
    }
    expect(state.connections[1]?.openRequests).toHaveLength(1000);
    expect(state.connections[1]?.openRequests.at(-1)?.id).toBe(1100);
    expect(Object.keys(state.connections[1]?.tasks ?? {})).toHaveLength(200);
    for (let n = 2; n <= 300; n++)
      state = foldEvent(state, {
        kind: 'open',
        side: 'client',
        transport: 'http',
        peer: '',
        seq: n,
        ms: 0,
        connection: n,
      });
    expect(Object.keys(state.connections)).toHaveLength(200);
    expect(state.connections[300]).toBeDefined();
  });
});
