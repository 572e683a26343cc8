/** Attacks by cost: messages, schemas and patterns that would take too much time or memory. */
import { fromJsonSchema } from 'tenon/json-schema';
import { request } from '../../../kit/http/messages.ts';
import { envelope } from '../../../kit/transport/raw-connection.ts';
import type { Attack, HttpStep, Refusal } from '../attack.ts';
import { callTool, post, postCall } from '../messages.ts';

const caller = { attacker: 'a caller' } as const;
const asBody = (body: unknown): HttpStep => ({ ...postCall('echo', { text: 'x' }), body });
const deep = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

type Row = readonly [id: string, does: string, step: HttpStep, gets: Refusal];

const messages: readonly Row[] = [
  ['cost-01', 'sends a body over the limit', asBody(`"${'x'.repeat(4 * 1024 * 1024)}"`), { status: 413 }],
  [
    'cost-02',
    'nests values deeper than the limit',
    asBody(`{"jsonrpc":"2.0","id":1,"method":"ping","params":${deep(200)}}`),
    { status: 400, code: -32600, because: 'nested' },
  ],
  ['cost-03', 'nests values so deep that a parser could overflow', asBody(deep(100_000)), { status: 400 }],
  [
    'cost-04',
    'sends more values than the limit',
    asBody(`{"jsonrpc":"2.0","id":1,"method":"ping","params":[${'1,'.repeat(100_001)}1]}`),
    { status: 400, code: -32600, because: 'values' },
  ],
  [
    'cost-05',
    'sends a batch over the limit',
    asBody(JSON.stringify(Array.from({ length: 101 }, (_, id) => request('ping', {}, id)))),
    { status: 400, code: -32600 },
  ],
  [
    'cost-06',
    'sends an ID of a million characters',
    asBody(request('ping', {}, 'x'.repeat(1_000_000))),
    { status: 400, code: -32600 },
  ],
  ['cost-07', 'sends no JSON', asBody('{"jsonrpc":'), { status: 400, code: -32700 }],
  [
    'cost-08',
    'sends a body that is compressed to hide its size',
    { ...postCall('echo', { text: 'x' }), headers: { 'content-encoding': 'gzip' } },
    { status: 415 },
  ],
  [
    'cost-09',
    'sends a header of 100 000 characters',
    { ...postCall('echo', { text: 'x' }), headers: { 'x-large': 'x'.repeat(100_000) } },
    { status: 431 },
  ],
  ['cost-10', 'sends an answer to nothing', asBody({ jsonrpc: '2.0', id: 99, result: {} }), { status: 400 }],
  ['cost-11', 'sends a method of 10 000 characters', post('x'.repeat(10_000)), { status: 404, code: -32601 }],
];

/** A schema of an author or of a server, which checks an untrusted text. */
const checks = (schema: object, value: unknown) => async (): Promise<string> => {
  const result = await fromJsonSchema(schema as never)['~standard'].validate(value);
  return result.issues === undefined ? 'valid' : result.issues.map(({ message }) => message).join();
};

const server = { attacker: 'a server' } as const;
const fourTimes = ($ref: string): object[] => [1, 2, 3, 4].map(() => ({ $ref }));
const circular = { $defs: { a: { anyOf: fourTimes('#/$defs/a') } }, $ref: '#/$defs/a' };
const doubling = Object.fromEntries(
  Array.from({ length: 30 }, (_, n) => [`d${n}`, n === 29 ? {} : { allOf: fourTimes(`#/$defs/d${n + 1}`) }]),
);

export const costs: readonly Attack[] = [
  ...messages.map(([id, does, step, gets]): Attack => ({ id, ...caller, does, sends: { http: [step] }, gets })),
  {
    id: 'cost-12',
    ...caller,
    does: 'sends a progress token of a million characters',
    sends: {
      message: request('tools/call', {
        ...envelope({ name: 'wait', arguments: {} }, { progressToken: 'x'.repeat(1_000_000) }),
      }),
    },
    gets: { code: -32602 },
  },
  {
    id: 'cost-13',
    ...caller,
    does: 'sends arguments that are wrong in 50 000 places: few of them are reported',
    sends: callTool('echo', Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n]))),
    gets: { code: 'tool-error' },
  },
  {
    id: 'cost-14',
    ...server,
    does: 'has a pattern in its schema that takes years to backtrack: it is matched in linear time',
    sends: { code: checks({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`) },
    gets: { code: 'served' },
  },
  {
    id: 'cost-15',
    ...server,
    does: 'has a pattern with a back-reference, which no linear matcher has',
    sends: { code: checks({ type: 'string', pattern: '(a*)\\1' }, 'aa') },
    gets: { code: 'invalid-schema', because: 'pattern' },
  },
  {
    id: 'cost-16',
    ...server,
    does: 'has a pattern that unfolds into a million states',
    sends: { code: checks({ type: 'string', pattern: '((x{1000}){1000}){1000}' }, 'x') },
    gets: { code: 'invalid-schema', because: 'pattern' },
  },
  {
    id: 'cost-17',
    ...server,
    does: 'has a schema that refers to itself without end',
    sends: { code: checks(circular, 1) },
    gets: { code: 'invalid-schema' },
  },
  {
    id: 'cost-18',
    ...server,
    does: 'has references that double at each level',
    sends: { code: checks({ $defs: doubling, $ref: '#/$defs/d0' }, 1) },
    gets: { code: 'served' },
  },
  {
    id: 'cost-19',
    ...server,
    does: 'has a schema that refers to a file or a URL',
    sends: { code: checks({ $ref: 'file:///etc/passwd' }, 1) },
    gets: { code: 'invalid-schema' },
  },
  {
    id: 'cost-20',
    ...server,
    does: 'has a schema that is nested too deep',
    sends: { code: checks(JSON.parse(`${'{"not":'.repeat(200)}{}${'}'.repeat(200)}`), 1) },
    gets: { code: 'invalid-schema' },
  },
];
