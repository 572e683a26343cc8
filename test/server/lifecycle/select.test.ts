/** `select` as one grid: every combination of inputs, and the revision or error that results. */
import { describe, expect, it } from 'vitest';
import { findRevision } from '../../../src/protocol/revisions/revisions.ts';
import { createOfferedRevisions } from '../../../src/server/lifecycle/offered-revisions.ts';
import { type Arrived, type Selection, select } from '../../../src/server/lifecycle/select.ts';

const exchange = '2026-07-28';
const newest = '2025-11-25';
const batching = '2025-03-26';

/** The values of each column of the grid. */
const columns = {
  claim: { none: undefined, exchange, session: '2025-06-18', unknown: '2099-01-01', nonsense: 5 },
  header: { none: undefined, missing: null, exchange, session: '2025-06-18', unknown: '2099-01-01' },
  method: { initialize: 'initialize', ping: 'ping', other: 'tools/list' },
  session: { none: undefined, batching, newest },
  batch: { alone: false, batch: true },
} as const;

type Column = keyof typeof columns;
type Cell = { readonly [C in Column]: string };

function* cells(): Generator<Cell> {
  for (const claim of Object.keys(columns.claim))
    for (const header of Object.keys(columns.header))
      for (const method of Object.keys(columns.method))
        for (const session of Object.keys(columns.session))
          for (const batch of Object.keys(columns.batch)) yield { claim, header, method, session, batch };
}

function arrivedIn({ claim, header, method, session, batch }: Cell): Arrived {
  const named = columns.header[header as keyof typeof columns.header];
  return {
    claim: columns.claim[claim as keyof typeof columns.claim],
    method: columns.method[method as keyof typeof columns.method],
    session: findRevision(columns.session[session as keyof typeof columns.session]),
    ...(named === undefined ? {} : { header: named }),
    batch: batch === 'batch',
    params: { protocolVersion: '2024-11-05' },
  };
}

/** A selection in one line: its kind and revision, or for a refusal its reason, HTTP status and revision. */
const summary = (selection: Selection): string =>
  selection.kind === 'refused'
    ? `${selection.error.reason} ${selection.status} in ${selection.revision.id}`
    : `${selection.kind} ${selection.revision.id}`;

type Row = readonly [claim: string, header: string, method: string, session: string, batch: string, outcome: string];

/** The first row that fits a cell decides it. `*` fits all, `a|b` fits either, `=claim` fits the value of the claim. */
const rows: readonly Row[] = [
  ['nonsense', '*', '*', '*', '*', 'invalid-params 400 in 2026-07-28'],
  ['exchange|session|unknown', '*', '*', '*', 'batch', 'invalid-request 400 in 2026-07-28'],
  ['exchange', 'none|=claim', '*', '*', 'alone', 'exchange 2026-07-28'],
  ['session|unknown', 'none|=claim', '*', '*', 'alone', 'unsupported-protocol-version 400 in 2026-07-28'],
  ['exchange|session|unknown', '*', '*', '*', 'alone', 'header-mismatch 400 in 2026-07-28'],
  ['none', 'unknown', '*', '*', '*', 'unsupported-protocol-version 400 in 2025-11-25'],
  ['none', 'exchange', '*', '*', '*', 'invalid-params 400 in 2026-07-28'],
  ['none', '*', 'initialize', '*', 'alone', 'handshake 2024-11-05'],
  ['none', '*', 'initialize', 'batching', 'batch', 'invalid-request 400 in 2025-03-26'],
  ['none', '*', 'initialize', '*', 'batch', 'invalid-request 400 in 2025-11-25'],
  ['none', '*', '*', 'batching', '*', 'session 2025-03-26'],
  ['none', '*', '*', 'newest', 'alone', 'session 2025-11-25'],
  ['none', '*', '*', 'newest', 'batch', 'invalid-request 400 in 2025-11-25'],
  ['none', 'session', '*', 'none', 'alone', 'session 2025-06-18'],
  ['none', 'session', '*', 'none', 'batch', 'invalid-request 400 in 2025-06-18'],
  ['none', 'missing', '*', 'none', '*', 'session 2025-03-26'],
  ['none', 'none', 'ping', 'none', 'alone', 'session 2025-11-25'],
  ['none', 'none', 'ping', 'none', 'batch', 'invalid-request 400 in 2025-11-25'],
  ['none', 'none', 'other', 'none', '*', 'invalid-params 400 in 2025-11-25'],
];

const fits = (pattern: string, value: string, claim: string): boolean =>
  pattern === '*' || pattern.split('|').some((each) => (each === '=claim' ? claim : each) === value);

const rowFor = ({ claim, header, method, session, batch }: Cell): Row | undefined =>
  rows.find((row) => [claim, header, method, session, batch].every((value, at) => fits(row[at] ?? '', value, claim)));

describe('select', () => {
  const offered = createOfferedRevisions();

  it('returns what the grid lists in each of its 450 cells [e-version-15, e-version-16]', () => {
    const all = [...cells()];
    expect(all).toHaveLength(450);
    const wrong = all
      .map((cell) => [JSON.stringify(cell), summary(select(offered, arrivedIn(cell))), rowFor(cell)?.[5]])
      .filter(([, is, expected]) => is !== expected);
    expect(wrong).toEqual([]);
  });

  it('needs every row of the grid', () => {
    expect(new Set([...cells()].map(rowFor))).toEqual(new Set(rows));
  });
});

type Fewer = Parameters<typeof createOfferedRevisions>[0];
const sessionsOnly: Fewer = { protocolVersions: ['2024-11-05', '2025-03-26', '2025-06-18'] };
const exchangesOnly: Fewer = { protocolVersions: ['2026-07-28'] };
const oldestOnly: Fewer = { protocolVersions: ['2024-11-05'] };
const refusing: Fewer = { protocolVersions: ['2024-11-05', '2025-06-18'], versionMismatch: 'reject' };

/** A server with fewer protocol versions, a message, and the outcome. */
const fewer: ReadonlyArray<[name: string, options: Fewer, arrived: Arrived, outcome: string, data?: unknown]> = [
  [
    'a version in _meta, for a server of sessions only',
    sessionsOnly,
    { method: 'ping', claim: exchange },
    'unsupported-protocol-version 400 in 2026-07-28',
    { supported: ['2025-06-18', '2025-03-26', '2024-11-05'], requested: exchange },
  ],
  [
    'an unknown version in _meta, for a server of all versions',
    {},
    { method: 'ping', claim: '2099-01-01' },
    'unsupported-protocol-version 400 in 2026-07-28',
    { supported: [exchange], requested: '2099-01-01' },
  ],
  [
    'an unsupported version header, for a server of sessions only',
    sessionsOnly,
    { method: 'x', claim: undefined, header: newest },
    'unsupported-protocol-version 400 in 2025-11-25',
    { supported: ['2025-06-18', '2025-03-26', '2024-11-05'], requested: newest },
  ],
  [
    'initialize, for a server of exchanges only',
    exchangesOnly,
    { method: 'initialize', claim: undefined, params: { protocolVersion: newest } },
    'unsupported-protocol-version 400 in 2026-07-28',
    { supported: [exchange], requested: newest },
  ],
  [
    'a ping, for a server of exchanges only',
    exchangesOnly,
    { method: 'ping', claim: undefined },
    'invalid-params 400 in 2026-07-28',
  ],
  [
    'a missing version header, for a server of exchanges only',
    exchangesOnly,
    { method: 'x', claim: undefined, header: null },
    'header-mismatch 400 in 2026-07-28',
  ],
  [
    'a missing version header, for a server of the oldest version only',
    oldestOnly,
    { method: 'x', claim: undefined, header: null },
    'invalid-params 400 in 2024-11-05',
  ],
  [
    'a ping, for a server of the oldest version only',
    oldestOnly,
    { method: 'ping', claim: undefined, header: null },
    'session 2024-11-05',
  ],
  [
    'initialize with a supported version',
    refusing,
    { method: 'initialize', claim: undefined, params: { protocolVersion: '2024-11-05' } },
    'handshake 2024-11-05',
  ],
  [
    'initialize with another version, with versionMismatch "reject"',
    refusing,
    { method: 'initialize', claim: undefined, params: { protocolVersion: newest } },
    'unsupported-protocol-version 400 in 2025-06-18',
    {
      clientVersion: newest,
      serverVersion: '2025-06-18',
      message: 'Server requires protocol version 2025-06-18',
    },
  ],
  ...[newest, exchange, '1999-01-01', 5, undefined].map((requested): [string, Fewer, Arrived, string] => [
    `initialize with version ${String(requested)}, for a server of sessions only`,
    sessionsOnly,
    { method: 'initialize', claim: undefined, params: { protocolVersion: requested } },
    'handshake 2025-06-18',
  ]),
];

describe('a server with fewer protocol versions', () => {
  it.each(fewer)('selects for %s', (_name, options, arrived, outcome, data) => {
    const selection = select(createOfferedRevisions(options), arrived);
    expect(summary(selection)).toBe(outcome);
    expect(selection.kind === 'refused' ? selection.error.data : undefined).toEqual(data);
  });

  it('describes in the error message what is wrong with each kind of message', () => {
    const errorMessage = (arrived: Partial<Arrived>): string => {
      const selection = select(createOfferedRevisions(), { method: 'x', claim: undefined, ...arrived });
      return selection.kind === 'refused' ? selection.error.message : '';
    };
    expect(errorMessage({})).toContain('Send initialize first');
    expect(errorMessage({ claim: 5 })).toContain('string');
    expect(errorMessage({ claim: exchange, header: null })).toContain('header MCP-Protocol-Version is missing');
    expect(errorMessage({ claim: exchange, header: newest })).toContain('differs');
    expect(errorMessage({ claim: exchange, batch: true })).toContain('batch');
    expect(errorMessage({ header: exchange })).toContain('params._meta');
    expect(errorMessage({ claim: '2099-01-01' })).toContain('2099-01-01');
  });
});

describe('the revisions of a server', () => {
  it.each([
    ['none', [], 'protocolVersions', 'is an empty list.'],
    [
      'one that does not exist',
      ['2025-06-18', '2025-13-01'],
      'protocolVersions[1]',
      'is "2025-13-01", which is not a protocol version.',
    ],
  ])('cannot be %s, and the error lists the ones that exist', (_name, revisions, place, problem) => {
    const make = () => createOfferedRevisions({ protocolVersions: revisions as never });
    const message = expect.stringContaining(`createServer(): ${place} ${problem}`);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-definition', message, details: { place } }));
    expect(make).toThrow(/Choose from 2024-11-05, .*2026-07-28/);
  });

  it('are sorted newest first, whatever the order of the option', () => {
    const { revisions } = createOfferedRevisions({ protocolVersions: ['2024-11-05', '2026-07-28', '2025-06-18'] });
    expect(revisions.map(({ id }) => id)).toEqual(['2026-07-28', '2025-06-18', '2024-11-05']);
  });
});
