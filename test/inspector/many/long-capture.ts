/** A capture of any length, the same each time: sessions that call, report progress, subscribe, fail, ask, and leave requests open. */
import type { HistoryEvent } from '../../../src/protocol/history/state.ts';

export interface LongCapture {
  readonly events: readonly HistoryEvent[];
  /** The file. */
  readonly text: string;
}

const sessions = 6;
const tools = ['weather', 'search', 'report', 'translate'];
const cities = ['Oslo', 'Bergen', 'Tromsø', 'Lima', 'Quito', 'Accra', 'Hanoi'];

/** Numbers below `end` from a seed: the same in every run. */
export function seededNumbers(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

/** `messages` messages, and a few events around them. */
export function longCapture(messages: number, seed = 23): LongCapture {
  const below = seededNumbers(seed);
  const events: HistoryEvent[] = [];
  const sent = { messages: 0, ids: 0 };
  const add = (connection: number, event: object): void => {
    const seq = events.length + 1;
    events.push({ ...event, seq, ms: seq * 2, connection } as HistoryEvent);
  };
  const send = (connection: number, from: 'client' | 'server', m: object): void => {
    if (sent.messages === messages) return;
    sent.messages++;
    add(connection, { kind: 'message', from, m: { jsonrpc: '2.0', ...m } });
  };
  for (let connection = 1; connection <= sessions; connection++) {
    add(connection, { kind: 'open', side: 'client', transport: 'http', peer: `https://server-${connection}.example` });
    begin(connection, send);
    add(connection, { kind: 'state', text: 'ready' });
  }
  while (sent.messages < messages) {
    const scene = scenes[below(scenes.length)] ?? call;
    scene({ connection: 1 + below(sessions), id: ++sent.ids, below, send });
  }
  return { events, text: fileOf(events) };
}

type Send = (connection: number, from: 'client' | 'server', m: object) => void;

interface Scene {
  readonly connection: number;
  readonly id: number;
  readonly below: (end: number) => number;
  readonly send: Send;
}

function begin(connection: number, send: Send): void {
  const protocolVersion = connection % 2 === 0 ? '2025-06-18' : '2025-11-25';
  send(connection, 'client', {
    id: 'first',
    method: 'initialize',
    params: { protocolVersion, capabilities: { elicitation: {} }, clientInfo: { name: 'many', version: '1' } },
  });
  send(connection, 'server', {
    id: 'first',
    result: {
      protocolVersion,
      capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
      serverInfo: { name: `server-${connection}`, version: '1' },
    },
  });
  send(connection, 'client', { method: 'notifications/initialized' });
}

function call({ connection, id, below, send }: Scene): void {
  const city = cities[below(cities.length)];
  const params = { name: tools[below(tools.length)], arguments: { city, number: id }, _meta: { progressToken: id } };
  send(connection, 'client', { id, method: 'tools/call', params });
  for (let progress = 1; progress <= below(3); progress++)
    send(connection, 'server', { method: 'notifications/progress', params: { progressToken: id, progress, total: 3 } });
  // A few are never answered.
  if (below(200) === 0) return;
  const text = `It is sunny in ${city}; this was call ${id}.`;
  const isError = below(20) === 0;
  send(connection, 'server', { id, result: { content: [{ type: 'text', text }], ...(isError && { isError }) } });
}

function subscribe({ connection, id, below, send }: Scene): void {
  const params = { uri: `notes://${below(40)}` };
  const method = below(3) === 0 ? 'resources/unsubscribe' : 'resources/subscribe';
  send(connection, 'client', { id, method, params });
  send(connection, 'server', { id, result: {} });
  send(connection, 'server', { method: 'notifications/resources/updated', params });
}

function log({ connection, id, below, send }: Scene): void {
  if (below(10) === 0) {
    send(connection, 'client', {
      id,
      method: 'logging/setLevel',
      params: { level: below(2) === 0 ? 'debug' : 'info' },
    });
    send(connection, 'server', { id, result: {} });
  }
  const params = { level: 'info', logger: 'many', data: { step: id, of: 'the work' } };
  send(connection, 'server', { method: 'notifications/message', params });
}

function fail({ connection, id, send }: Scene): void {
  send(connection, 'client', { id, method: 'tools/call', params: { name: 'missing', arguments: {} } });
  send(connection, 'server', { id, error: { code: -32602, message: 'Unknown tool: missing' } });
}

function ask({ connection, id, below, send }: Scene): void {
  const params = { message: 'How many?', requestedSchema: { type: 'object', properties: { n: { type: 'integer' } } } };
  send(connection, 'server', { id, method: 'elicitation/create', params });
  send(connection, 'client', { id, result: { action: 'accept', content: { n: below(9) } } });
}

const scenes = [call, call, call, call, subscribe, log, log, fail, ask];

function fileOf(events: readonly HistoryEvent[]): string {
  const header = { capture: 1, by: 'test', made: '2026-11-01T12:00:00.000Z', redaction: 1 };
  return `${[header, ...events, { kind: 'end', events: events.length }].map((line) => JSON.stringify(line)).join('\n')}\n`;
}
