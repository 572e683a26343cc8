/** The status of every combination of verb, media types, version header and session header: one table. */
import { describe, expect, it } from 'vitest';
import { alone, call, startSession } from '../../../kit/http/messages.ts';
import { open } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { sampled } from '../../../kit/sampled.ts';

const revision = '2025-06-18';

const columns = {
  verb: { POST: 'POST', GET: 'GET', DELETE: 'DELETE', PUT: 'PUT', PATCH: 'PATCH', OPTIONS: 'OPTIONS', HEAD: 'HEAD' },
  type: { json: 'application/json', charset: 'application/json; charset=utf-8', text: 'text/plain', none: undefined },
  accept: {
    both: 'application/json, text/event-stream',
    json: 'application/json',
    events: 'text/event-stream',
    any: '*/*',
    pages: 'text/html',
    none: undefined,
  },
  version: { missing: undefined, exchange: alone, session: revision, unknown: '2099-01-01' },
  session: { none: undefined, live: 'live', lost: 'no-such-session' },
} as const satisfies Record<string, Record<string, string | undefined>>;

const names = Object.keys(columns) as (keyof typeof columns)[];
type Cell = readonly string[];

/** All combinations of the columns, in their order. */
const cells: readonly Cell[] = names.reduce<readonly Cell[]>(
  (known, name) => known.flatMap((cell) => Object.keys(columns[name]).map((value) => [...cell, value])),
  [[]],
);

type Row = readonly [verb: string, type: string, accept: string, version: string, session: string, status: number];

/** The first row that fits a cell decides it. `*` fits all, `a|b` fits either. A POST sends a call of a session. */
const rows: readonly Row[] = [
  ['PUT|PATCH|OPTIONS|HEAD', '*', '*', '*', '*', 405],
  ['POST', 'text|none', '*', '*', '*', 415],
  ['POST', '*', 'pages', '*', '*', 406],
  ['POST', '*', '*', '*', 'lost', 404],
  ['POST', '*', '*', 'unknown|exchange', '*', 400],
  ['POST', '*', '*', '*', 'live', 200],
  ['POST', '*', 'none|any', 'missing', 'none', 200],
  ['POST', '*', '*', '*', 'none', 400],
  ['GET|DELETE', '*', '*', 'unknown', '*', 400],
  ['GET|DELETE', '*', '*', '*', 'none', 400],
  ['GET|DELETE', '*', '*', '*', 'lost', 404],
  ['GET', '*', 'json|pages|none', '*', 'live', 406],
  ['GET', '*', '*', '*', 'live', 200],
  ['DELETE', '*', '*', '*', 'live', 204],
];

const fits = (pattern: unknown, value: string): boolean =>
  pattern === '*' || String(pattern).split('|').includes(value);
const rowFor = (cell: Cell): Row | undefined => rows.find((row) => cell.every((value, at) => fits(row[at], value)));

async function statusOf(url: string, cell: Cell): Promise<number> {
  const [method, type, accept, version, session] = names.map(
    (name, at) => (columns[name] as Record<string, string | undefined>)[cell[at] as string],
  );
  const response = await open(url, {
    method: method as string,
    headers: {
      'content-type': type,
      accept,
      'mcp-protocol-version': version,
      'mcp-session-id': session === 'live' ? (await startSession(url, revision)).id : session,
    },
    ...(method === 'POST' && { body: call('echo', { text: 'x' }) }),
  });
  if (response.headers['content-type'] === 'text/event-stream') response.cut();
  await response.ended;
  return response.status;
}

describe('verbs and headers over HTTP', () => {
  const tried = sampled(cells);

  it(`get the status of the table in ${tried.length} of its 2016 cells [s-http-54]`, async () => {
    const { url } = await serve();
    expect(cells).toHaveLength(2016);
    const wrong: unknown[] = [];
    for (const cell of tried) {
      const [is, expected] = [await statusOf(url, cell), rowFor(cell)?.[5]];
      if (is !== expected) wrong.push([cell.join(' '), is, expected]);
    }
    expect(wrong).toEqual([]);
  });

  it('need every row of the table', () => {
    expect(new Set(cells.map(rowFor))).toEqual(new Set(rows));
  });
});
