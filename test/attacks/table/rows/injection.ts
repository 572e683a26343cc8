/** Attacks by values that a program, a database or a parser would read as more than a value. */
import type { Attack } from '../attack.ts';
import { callTool, postCall } from '../messages.ts';

const caller = { attacker: 'a caller' } as const;
const found = 'SELECT * FROM notes WHERE owner = $1 ORDER BY name';

const plain = postCall('echo', { text: 'x' });
const twoNames = { ...plain, body: JSON.stringify(plain.body).replace('"name":"echo"', '"name":"wipe","name":"echo"') };

const whoami = postCall('whoami');

const programs: readonly Attack[] = (
  [
    [
      'inject-01',
      'passes an option to a program',
      '--version',
      'begins with -, so the program would read it as an option',
    ],
    ['inject-02', 'ends a text with NUL', 'a\0b', 'has a NUL character'],
    ['inject-03', 'passes more than a program takes', 'x'.repeat(8193), 'is too long for an argument'],
  ] as const
).map(([id, does, name, because]) => ({
  id,
  ...caller,
  does,
  sends: callTool('print', { name }),
  gets: { code: 'unsafe-argument', because },
  audited: 'call-end',
}));

export const injection: readonly Attack[] = [
  ...programs,
  {
    id: 'inject-04',
    ...caller,
    does: 'writes a command for a shell',
    sends: callTool('print', { name: '$(id); `id` | cat && echo "x" > /dev/null' }),
    gets: { code: 'served', because: '$(id); `id` | cat && echo "x" > /dev/null' },
    audited: 'call-end',
  },
  {
    id: 'inject-05',
    ...caller,
    does: 'closes the quotes of a statement',
    sends: callTool('search', { owner: "x' OR '1'='1'; DROP TABLE notes; --" }),
    gets: { code: 'served', because: `${found} ["x' OR '1'='1'; DROP TABLE notes; --"]` },
    audited: 'call-end',
  },
  {
    id: 'inject-06',
    ...caller,
    does: 'sends an object that a driver turns into a condition',
    sends: callTool('search', { owner: { owner: 1 } }),
    gets: { code: 'unsafe-sql', because: 'cannot have value 1 as a parameter' },
    audited: 'call-end',
  },
  {
    id: 'inject-07',
    ...caller,
    does: 'sends an object that looks like a part of a statement',
    sends: callTool('search', { owner: { text: '1 OR 1=1', sql: '1 OR 1=1', values: [], parts: ['1 OR 1=1'] } }),
    gets: { code: 'unsafe-sql', because: 'cannot have value 1 as a parameter' },
    audited: 'call-end',
  },
  {
    id: 'inject-08',
    ...caller,
    does: 'sends a statement as the column to sort by',
    sends: callTool('search', { owner: 'x', order: 'name; DROP TABLE notes' }),
    gets: { code: 'unsafe-sql', because: 'has a choice that is not offered' },
    audited: 'call-end',
  },
  {
    id: 'inject-09',
    ...caller,
    does: 'sorts by a name that every object has',
    sends: callTool('search', { owner: 'x', order: 'constructor' }),
    gets: { code: 'unsafe-sql', because: 'has a choice that is not offered' },
    audited: 'call-end',
  },
  {
    id: 'inject-10',
    ...caller,
    does: 'sets the prototype of the arguments',
    sends: {
      message:
        '{"jsonrpc":"2.0","id":"attack","method":"tools/call","params":{"name":"echo","arguments":{"text":"x","__proto__":{"admin":true}}}}',
    },
    gets: { code: -32600, because: '__proto__' },
  },
  {
    id: 'inject-11',
    ...caller,
    does: 'names two tools in one call, which another parser before the server reads differently',
    sends: { http: [twoNames], strict: true },
    gets: { status: 400, code: -32600, because: 'An object has a duplicate key' },
  },
  {
    id: 'inject-12',
    ...caller,
    does: 'lets a handler fail, to read of it what it should not know',
    sends: callTool('fail'),
    gets: { code: 'tool-error', because: 'The tool fail failed.' },
    audited: 'call-end',
  },
  {
    id: 'deputy-01',
    ...caller,
    does: 'has the credential of the server redirected to a site of its own',
    sends: callTool('relay', { url: 'http://public.test:{port}/?to=http://other.test:{port}/' }),
    gets: { code: 'served', because: 'sent: undefined' },
    audited: 'call-end',
  },
  {
    id: 'deputy-02',
    ...caller,
    does: 'sends its token along, for a handler that would pass it on',
    sends: { http: [postCall('whoami')] },
    gets: { status: 200, code: 'served', lacks: 'Bearer' },
    audited: 'call-end',
  },
  {
    id: 'deputy-03',
    ...caller,
    does: 'puts a token of another into its message: the credential of the request counts',
    sends: { http: [{ ...whoami, body: { ...(whoami.body as object), _meta: { authorization: 'Bearer bob' } } }] },
    gets: { status: 200, code: 'served', lacks: 'bob' },
    audited: 'call-end',
  },
];
