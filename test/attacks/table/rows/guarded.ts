/** Attacks on a guarded server: what a caller may not see does not exist for it, and what it may not do does not run. */
import { call, initialize, notification } from '../../../kit/http/messages.ts';
import type { Attack, HttpStep, Json, Refusal } from '../attack.ts';
import { ask, callTool, postCall } from '../messages.ts';

const other = { attacker: 'another principal' } as const;
const caller = { attacker: 'a caller' } as const;

/** The answer is that for a tool, resource or prompt that does not exist. The two names have the same length. */
const hidden = (name: string, unknown: string, code: number | string = -32602): Refusal => ({
  code,
  likeUnknown: [name, unknown],
});
const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const completing = (name: string): Json => ({
  ref: { type: 'ref/prompt', name },
  argument: { name: 'victim', value: '' },
});

const unseen: readonly Attack[] = [
  {
    id: 'guard-01',
    ...other,
    does: 'calls a tool that only alice sees',
    sends: { http: [{ ...postCall('diary', { day: 'today' }), as: 'bob' }] },
    gets: hidden('diary', 'dairy'),
    audited: 'decision',
  },
  {
    id: 'guard-02',
    ...other,
    does: 'has the subject of alice at another issuer, and calls her tool',
    sends: { http: [{ ...postCall('diary', { day: 'today' }), as: 'mallory' }] },
    gets: hidden('diary', 'dairy'),
    audited: 'decision',
  },
  {
    id: 'guard-03',
    ...other,
    does: 'sends wrong arguments to a tool that it does not see, to learn of its schema',
    sends: callTool('diary', { day: 7, extra: 'x' }, 'bob'),
    gets: hidden('diary', 'dairy'),
    audited: 'decision',
  },
  {
    id: 'guard-04',
    ...other,
    does: 'sends headers that a tool it does not see would refuse',
    sends: { http: [{ ...withHeaders(postCall('diary', { day: 'today' }), { 'mcp-param-day': 'other' }), as: 'bob' }] },
    gets: hidden('diary', 'dairy'),
    audited: 'decision',
  },
  {
    id: 'guard-05',
    attacker: 'a stranger',
    does: 'calls a tool that it does not see, over a connection without a principal',
    sends: callTool('diary', { day: 'today' }, 'anonymous'),
    gets: hidden('diary', 'dairy'),
    audited: 'refusals',
  },
  {
    id: 'guard-06',
    ...caller,
    does: 'calls a tool that no rule names',
    sends: callTool('vault'),
    gets: hidden('vault', 'valut'),
    audited: 'decision',
  },
  {
    id: 'guard-07',
    ...other,
    does: 'looks for a tool that it does not see in the list',
    sends: ask('tools/list', {}, 'bob'),
    gets: { code: 'served', lacks: 'diary' },
  },
  {
    id: 'guard-08',
    ...other,
    does: 'looks for a tool that it does not see in the error for another',
    sends: callTool('none', {}, 'bob'),
    gets: { code: -32602, lacks: 'diary' },
  },
  {
    id: 'guard-09',
    ...caller,
    does: 'reads a resource that no rule names',
    sends: ask('resources/read', { uri: 'memo://private/a' }),
    gets: hidden('memo://private/a', 'memo://private/b'),
    audited: 'decision',
  },
  {
    id: 'guard-10',
    ...caller,
    does: 'looks for that resource in the list',
    sends: ask('resources/list'),
    gets: { code: 'served', lacks: 'memo://private' },
  },
  {
    id: 'guard-11',
    ...caller,
    does: 'gets a prompt that no rule names',
    sends: ask('prompts/get', { name: 'plot', arguments: { victim: 'x' } }),
    gets: hidden('plot', 'polt'),
    audited: 'decision',
  },
  {
    id: 'guard-12',
    ...caller,
    does: 'asks for completions of a prompt that it does not see',
    sends: ask('completion/complete', completing('plot')),
    gets: hidden('plot', 'polt'),
    audited: 'decision',
  },
  {
    id: 'guard-13',
    ...caller,
    does: 'reads, by a template, a file that a rule denies',
    sends: ask('resources/read', { uri: 'notes:///private/a.txt' }),
    gets: hidden('private/a.txt', 'private/b.txt'),
    audited: 'decision',
  },
  ...(
    [
      ['guard-14', 'encodes a letter of that file', 'notes:///%70rivate/a.txt'],
      ['guard-15', 'doubles a separator', 'notes:////private/a.txt'],
      ['guard-16', 'adds a segment that means nothing', 'notes:///./private/a.txt'],
      ['guard-17', 'goes around it', 'notes:///days/../private/a.txt'],
      ['guard-18', 'encodes the separator', 'notes:///private%2Fa.txt'],
      ['guard-19', 'writes the scheme in upper case', 'NOTES:///private/a.txt'],
      ['guard-20', 'adds a character without width', 'notes:///private\u200b/a.txt'],
    ] as const
  ).map(
    ([id, does, uri]): Attack => ({
      id,
      ...caller,
      does,
      sends: ask('resources/read', { uri }),
      gets: { code: -32602 },
      audited: uri.startsWith('NOTES') ? undefined : 'decision',
    }),
  ),
  {
    id: 'guard-21',
    ...caller,
    does: 'subscribes to a resource that it does not see, in a session: nothing is ever sent for it',
    sends: {
      http: [
        { body: initialize('2025-11-25'), keeps: { session: { header: 'mcp-session-id' } } },
        { headers: inSession(), body: notification('notifications/initialized') },
        {
          headers: inSession(),
          body: { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'memo://private/a' } },
        },
      ],
    },
    gets: { status: 200, ...hidden('memo://private/a', 'memo://private/b', 'served') },
  },
  {
    id: 'guard-22',
    ...other,
    does: 'calls a tool that it does not see in a session of its own',
    sends: {
      http: [
        { as: 'bob', body: initialize('2025-06-18'), keeps: { session: { header: 'mcp-session-id' } } },
        { as: 'bob', headers: inSession('2025-06-18'), body: notification('notifications/initialized') },
        { as: 'bob', headers: inSession('2025-06-18'), body: call('diary', { day: 'today' }) },
      ],
    },
    gets: { status: 200, ...hidden('diary', 'dairy') },
    audited: 'decision',
  },
  {
    id: 'guard-23',
    ...other,
    does: 'hides the call in a batch',
    sends: {
      http: [
        { as: 'bob', body: initialize('2025-03-26'), keeps: { session: { header: 'mcp-session-id' } } },
        { as: 'bob', headers: { 'mcp-session-id': '{session}' }, body: notification('notifications/initialized') },
        { as: 'bob', headers: { 'mcp-session-id': '{session}' }, body: [call('diary', { day: 'today' }, 'x')] },
      ],
    },
    gets: { status: 200, lacks: 'dear diary' },
    audited: 'decision',
  },
];

const denied = { code: -31403, because: 'The policy of the server does not allow this.' };

const refused: readonly Attack[] = [
  {
    id: 'guard-24',
    ...caller,
    does: 'does what a condition denies',
    sends: callTool('deploy', { env: 'prod' }),
    gets: denied,
    audited: 'decision',
  },
  {
    id: 'guard-25',
    ...caller,
    does: 'writes the argument in another case, which the schema changes after the check',
    sends: callTool('deploy', { env: 'PROD' }),
    gets: denied,
    audited: 'decision',
  },
  {
    id: 'guard-26',
    ...caller,
    does: 'leaves out the argument, for which the schema has a default',
    sends: callTool('deploy', {}),
    gets: denied,
    audited: 'decision',
  },
  {
    id: 'guard-27',
    ...caller,
    does: 'adds an argument that makes the condition cost too much: the schema removes it first',
    sends: callTool('deploy', { env: 'prod', x: Array.from({ length: 20_000 }, () => 1) }),
    gets: denied,
    audited: 'decision',
  },
  {
    id: 'guard-28',
    ...caller,
    does: 'sends an amount as a text, which the schema turns into a number',
    sends: callTool('pay', { amount: '1000' }),
    gets: { code: -31403, because: 'requires the consent of a user' },
    audited: 'decision',
  },
  {
    id: 'guard-29',
    ...caller,
    does: 'calls a tool that asks the user for what the policy does not let it ask for',
    sends: { http: [postCall('nag', {}, able)] },
    gets: { status: 403, code: -31403 },
    audited: 'decision',
  },
  {
    id: 'guard-30',
    ...caller,
    does: 'calls a tool without the scope that it needs',
    sends: { http: [postCall('wipe')] },
    gets: { status: 403 },
    audited: 'authentication',
  },
];

/** A server compares names exactly, so that another spelling of a tool with a rule is another tool, which does not exist. */
const spelled: readonly Attack[] = [
  'Deploy',
  'deploy ',
  'deploy\u200b',
  '\uff44eploy',
  'd\u0435ploy',
  'deploy\0',
  './deploy',
  'depl%6Fy',
].map(
  (name, index): Attack => ({
    id: `guard-${31 + index}`,
    ...caller,
    does: `spells the name of a tool with a rule as ${JSON.stringify(name)}`,
    sends: callTool(name, { env: 'prod' }),
    gets: { code: -32602, lacks: 'deployed' },
  }),
);

/** Headers that a proxy would set. No proxy is trusted, so the address of the connection counts. */
const claimed: readonly Attack[] = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip'].map(
  (header, index): Attack => ({
    id: `guard-${39 + index}`,
    ...caller,
    does: `claims an address of an allowed network in ${header}`,
    sends: {
      http: [withHeaders(postCall('inside'), { [header]: header === 'forwarded' ? 'for=203.0.113.9' : '203.0.113.9' })],
    },
    gets: hidden('inside', 'isnide'),
    audited: 'decision',
  }),
);

function inSession(version = '2025-11-25') {
  return { 'mcp-session-id': '{session}', 'mcp-protocol-version': version };
}

function withHeaders(step: HttpStep, headers: HttpStep['headers']): HttpStep {
  return { ...step, headers: { ...step.headers, ...headers } };
}

export const guarded: readonly Attack[] = [...unseen, ...refused, ...spelled, ...claimed];
