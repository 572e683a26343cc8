/** Attacks by two places that name one thing: headers and body, token and message, host and address. */
import { call, initialize } from '../../../kit/http/messages.ts';
import type { Attack, HttpStep, Refusal } from '../attack.ts';
import { postCall } from '../messages.ts';

const plain = postCall('echo', { text: 'x' });
const withHeaders = (headers: HttpStep['headers']): readonly HttpStep[] => [
  { ...plain, headers: { ...plain.headers, ...headers } },
];
const mismatch: Refusal = { status: 400, code: -32020 };

type Row = readonly [id: string, does: string, headers: HttpStep['headers'], gets: Refusal];

const rows: readonly Row[] = [
  [
    'header-01',
    'names a harmless tool in the header, for a gateway, and another in the body',
    { 'mcp-name': 'search' },
    mismatch,
  ],
  ['header-02', 'names another method in the header', { 'mcp-method': 'tools/list' }, mismatch],
  ['header-03', 'leaves the name out of the headers', { 'mcp-name': undefined }, mismatch],
  ['header-04', 'leaves the method out of the headers', { 'mcp-method': undefined }, mismatch],
  ['header-05', 'writes the name in another case', { 'mcp-name': 'ECHO' }, mismatch],
  ['header-06', 'adds a second name to the header', { 'mcp-name': 'echo, wipe' }, mismatch],
  [
    'header-07',
    'names another protocol version in the header',
    { 'mcp-protocol-version': '2025-06-18' },
    { status: 400 },
  ],
  [
    'header-08',
    'sends a body of another type, as a form of a page would',
    { 'content-type': 'text/plain' },
    { status: 415 },
  ],
  ['header-09', 'sends a form', { 'content-type': 'application/x-www-form-urlencoded' }, { status: 415 }],
  ['header-16', 'encodes another name in the header', { 'mcp-name': '=?base64?d2lwZQ==?=' }, mismatch],
];

const page = { attacker: 'a web page' } as const;

export const mismatches: readonly Attack[] = [
  ...rows.map(
    ([id, does, headers, gets]): Attack => ({
      id,
      attacker: 'a caller',
      does,
      sends: { http: withHeaders(headers) },
      gets,
    }),
  ),
  {
    id: 'header-10',
    attacker: 'a caller',
    does: 'sends a token in the message that differs from that of the request',
    sends: {
      http: [
        { ...plain, as: 'anonymous', body: { ...(plain.body as object), _meta: { authorization: 'Bearer alice' } } },
      ],
    },
    gets: { status: 401 },
    audited: 'refusals',
  },
  {
    id: 'header-11',
    attacker: 'a stranger',
    does: 'sends a token in the URL',
    sends: { http: [{ ...plain, as: 'anonymous', path: '/mcp?access_token=alice' }] },
    gets: { status: 401 },
    audited: 'refusals',
  },
  {
    id: 'header-12',
    attacker: 'a stranger',
    does: 'sends two credentials at once',
    sends: {
      http: [{ ...plain, as: 'anonymous', headers: { ...plain.headers, authorization: 'Bearer alice, Bearer bob' } }],
    },
    gets: { status: 401 },
    audited: 'refusals',
  },
  {
    id: 'header-13',
    attacker: 'a stranger',
    does: 'claims in a header that a proxy has authenticated it',
    sends: { http: [{ ...plain, as: 'anonymous', headers: { ...plain.headers, 'x-forwarded-user': 'alice' } }] },
    gets: { status: 401 },
    audited: 'refusals',
  },
  ...(
    [
      ['page-01', 'reaches the server of a user by a name that it controls (DNS rebinding)', { host: 'evil.test' }],
      ['page-02', 'sends a request from another origin', { origin: 'https://evil.test' }],
      ['page-03', 'sends a request from a sandboxed frame', { origin: 'null' }],
      [
        'page-04',
        'sends a request from an origin that begins like an allowed one',
        { origin: 'http://localhost.evil.test' },
      ],
      ['page-05', 'hides its host behind a user name', { host: 'localhost@evil.test' }],
      [
        'page-07',
        'forwards the host of the server behind its own',
        { host: 'evil.test', 'x-forwarded-host': 'localhost' },
      ],
    ] as const
  ).map(
    ([id, does, headers]): Attack => ({
      id,
      ...page,
      does,
      sends: { http: [{ ...plain, as: 'anonymous', headers: { ...plain.headers, ...headers } }] },
      gets: { status: 403 },
    }),
  ),
  {
    id: 'page-06',
    ...page,
    does: 'loads a stream as an image',
    sends: {
      http: [
        { as: 'anonymous', method: 'GET', headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } },
      ],
    },
    gets: { status: 403 },
  },
  {
    id: 'page-08',
    ...page,
    does: 'asks in advance whether it may send credentials',
    sends: {
      http: [
        {
          as: 'anonymous',
          method: 'OPTIONS',
          headers: { origin: 'https://evil.test', 'access-control-request-method': 'POST' },
        },
      ],
    },
    gets: { status: 403 },
  },
  {
    id: 'header-14',
    attacker: 'another principal',
    does: 'chooses the ID of a session in advance (session fixation)',
    sends: {
      http: [
        { as: 'bob', headers: { 'mcp-session-id': 'chosen-by-bob' }, body: initialize('2025-11-25') },
        { headers: { 'mcp-session-id': 'chosen-by-bob' }, body: call('echo', { text: 'x' }) },
      ],
    },
    gets: { status: 404, code: -32600 },
    audited: 'refusals',
  },
  {
    id: 'header-15',
    attacker: 'a caller',
    does: 'calls a tool without a session and without a version',
    sends: { http: [{ body: call('echo', { text: 'x' }) }] },
    gets: { status: 400 },
  },
];
