/** The status of every combination of verb, version header, session header and body: one table. */
import { describe, expect, it } from 'vitest';
import { alone, call, initialize, lone, loneCall, notification, startSession } from '../../../kit/http/messages.ts';
import { type Headers, open } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';

const columns = {
  verb: ['POST', 'GET', 'DELETE', 'PUT'],
  version: ['missing', 'exchange', 'session', 'unknown'],
  session: ['none', 'live', 'lost'],
  body: ['exchange', 'initialize', 'call', 'notification', 'answer', 'batch', 'garbage'],
} as const;

type Column = keyof typeof columns;
type Cell = Record<Column, string>;

const versions: Record<string, string | undefined> = {
  missing: undefined,
  exchange: alone,
  session: '2025-06-18',
  unknown: '2099-01-01',
};

const bodies: Record<string, { readonly headers?: Headers; readonly body: unknown }> = {
  exchange: loneCall('echo', { text: 'x' }),
  initialize: { body: initialize('2025-06-18') },
  call: { body: call('echo', { text: 'x' }) },
  notification: { body: notification('notifications/initialized') },
  answer: { body: { jsonrpc: '2.0', id: 'x', result: {} } },
  batch: { body: [call('echo', { text: 'x' })] },
  garbage: { body: '{' },
};

function* cells(): Generator<Cell> {
  for (const verb of columns.verb)
    for (const version of columns.version)
      for (const session of columns.session)
        for (const body of verb === 'POST' ? columns.body : ['none']) yield { verb, version, session, body };
}

type Row = readonly [verb: string, version: string, session: string, body: string, status: number, code?: number];

/** The first row that fits a cell decides it. `*` fits all, `a|b` fits either. The session is one of 2025-06-18. */
const rows: readonly Row[] = [
  ['PUT', '*', '*', '*', 405, -32600],
  ['GET|DELETE', 'unknown', '*', '*', 400, -32600],
  ['GET|DELETE', '*', 'none', '*', 400, -32600],
  ['GET|DELETE', '*', 'lost', '*', 404, -32600],
  ['GET', '*', 'live', '*', 200],
  ['DELETE', '*', 'live', '*', 204],
  ['POST', '*', '*', 'garbage', 400, -32700],
  ['POST', 'exchange', '*', 'exchange', 200],
  ['POST', '*', '*', 'exchange', 400, -32020],
  ['POST', '*', 'lost', 'call|batch', 404, -32600],
  ['POST', 'unknown|exchange', '*', 'initialize|call', 400, -32602],
  ['POST', '*', '*', 'initialize', 200],
  ['POST', '*', 'live', 'call', 200],
  ['POST', '*', 'none', 'call', 400, -32600],
  ['POST', '*', '*', 'batch', 400, -32600],
  ['POST', 'unknown', '*', 'notification|answer', 400, -32600],
  ['POST', 'exchange', 'none', 'notification', 202],
  ['POST', '*', 'live', 'notification|answer', 202],
  ['POST', '*', 'lost', 'notification|answer', 404, -32600],
  ['POST', '*', 'none', 'notification|answer', 400, -32600],
];

const fits = (pattern: string, value: string): boolean => pattern === '*' || pattern.split('|').includes(value);
const rowFor = ({ verb, version, session, body }: Cell): Row | undefined =>
  rows.find((row) => [verb, version, session, body].every((value, at) => fits(String(row[at]), value)));

async function statusOf(url: string, { verb, version, session, body }: Cell): Promise<[number, number | undefined]> {
  const live = session === 'live' ? (await startSession(url, '2025-06-18')).id : undefined;
  const sent = bodies[body];
  const response = await open(url, {
    method: verb,
    body: sent?.body,
    headers: {
      ...sent?.headers,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': versions[version],
      'mcp-session-id': session === 'lost' ? 'no-such-session' : live,
    },
  });
  if (response.headers['content-type'] === 'text/event-stream') response.cut();
  await response.ended;
  const json = response.headers['content-type'] === 'application/json' ? JSON.parse(response.text()) : {};
  return [response.status, json.error?.code];
}

describe('an HTTP request', () => {
  it('gets the status of the table in each of its 120 cells [e-version-15, e-version-16, s-http-54, s-http-56, s-http-63]', async () => {
    const { url } = await serve();
    const all = [...cells()];
    expect(all).toHaveLength(120);
    const wrong: unknown[] = [];
    for (const cell of all) {
      const is = await statusOf(url, cell);
      const [, , , , status, code] = rowFor(cell) ?? [];
      if (is[0] !== status || is[1] !== code) wrong.push([JSON.stringify(cell), is, [status, code]]);
    }
    expect(wrong).toEqual([]);
  });

  it('needs every row of the table', () => {
    expect(new Set([...cells()].map(rowFor))).toEqual(new Set(rows));
  });

  it('is an exchange for every method with the version in _meta, also in a session [e-version-15]', async () => {
    const { url } = await serve();
    const session = await startSession(url, '2025-06-18');
    const { headers, body } = lone('ping');
    const answer = await session.post(body, headers);
    expect(answer).toMatchObject({ status: 404, json: { error: { code: -32601 } } });
  });
});
