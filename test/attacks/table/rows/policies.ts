/** Attacks on policies: another spelling, a missing argument or a value that costs too much must not avoid a rule. */
import type { Attack, Json } from '../attack.ts';

/** Everything is allowed but what is denied: the kind of policy that is easiest to avoid. */
const policy = `version: 1
rules:
  - {id: all, allow: [call, read, list], to: any, on: any}
  - {id: wipe, deny: [call], to: any, on: {tool: wipe}}
  - {id: names, deny: [call], to: any, on: {tool: "résumé"}}
  - {id: prod, deny: [call], to: any, on: {tool: deploy}, when: 'args.env == "prod"'}
  - {id: words, deny: [call], to: any, on: {tool: say}, when: 'args.text.matches("(a+)+$")'}
  - {id: big, ask: [call], to: any, on: {tool: pay}, when: 'args.amount > 100'}
  - {id: private, deny: [read], to: any, on: {resource: "file:///private/**"}}
  - {id: outside, deny: [call], to: {network: 203.0.113.0/24}, on: {tool: inside}}
`;

/** Nothing is allowed but what a rule names: what comes near to it must not be taken for it. */
const narrow = `version: 1
rules:
  - {id: files, allow: [call], to: {issuer: "https://id.test", subject: alice}, on: {server: docs, tool: "files_*"}}
  - {id: admins, allow: [call], to: {role: admin}, on: {tool: audit}}
  - {id: docs, allow: [read], to: any, on: {resource: "file:///docs/*"}}
`;

const alice = { key: '', issuer: 'https://id.test', subject: 'alice', scopes: [], roles: [], claims: {} };

type Row = readonly [id: string, does: string, request: Json, code: string, because: string];

const call = (tool: string, args?: Json): Json => ({ action: 'call', target: { tool }, arguments: args });
const read = (resource: string): Json => ({ action: 'read', target: { resource } });
const files = (target: Json, principal: Json = alice): Json => ({ action: 'call', principal, target });

const avoiding: readonly Row[] = [
  ['policy-01', 'calls what a rule denies', call('wipe'), 'deny', 'wipe'],
  ['policy-02', 'leaves out the argument of a condition', call('deploy', {}), 'deny', 'prod'],
  ['policy-03', 'sends no arguments at all', call('deploy'), 'deny', 'prod'],
  [
    'policy-04',
    'adds values until the condition costs too much',
    call('deploy', { env: 'test', x: Array(20_000).fill(1) }),
    'deny',
    'prod',
  ],
  [
    'policy-05',
    'adds characters until it costs too much',
    call('deploy', { env: 'test', x: 'x'.repeat(70_000) }),
    'deny',
    'prod',
  ],
  ['policy-06', 'nests values until it costs too much', call('deploy', { env: 'test', x: nested(40) }), 'deny', 'prod'],
  ['policy-07', 'sends the amount as a text, to avoid the question', call('pay', { amount: '1000' }), 'ask', 'big'],
  ['policy-08', 'sends no amount, to avoid the question', call('pay', {}), 'ask', 'big'],
  ['policy-09', 'sends an amount that is no number to compare', call('pay', { amount: null }), 'ask', 'big'],
  [
    'policy-10',
    'sends a text for which a backtracking pattern takes years: it is decided at once',
    call('say', { text: `${'a'.repeat(60_000)}!` }),
    'allow',
    'all',
  ],
  ['policy-11', 'hides its address', { action: 'call', target: { tool: 'inside' } }, 'deny', 'outside'],
  [
    'policy-12',
    'maps its address into IPv6',
    { action: 'call', address: '::ffff:203.0.113.9', target: { tool: 'inside' } },
    'deny',
    'outside',
  ],
  [
    'policy-13',
    'writes its address in octal',
    { action: 'call', address: '0313.0.113.9', target: { tool: 'inside' } },
    'deny',
    'outside',
  ],
  ['uri-01', 'climbs in a URI', read('file:///docs/../private/a'), 'deny', 'uri-not-canonical'],
  ['uri-02', 'encodes a letter', read('file:///%70rivate/a'), 'deny', 'uri-not-canonical'],
  ['uri-03', 'encodes the dots', read('file:///docs/%2E%2E/private/a'), 'deny', 'uri-not-canonical'],
  ['uri-04', 'encodes a separator', read('file:///private%2Fa'), 'deny', 'private'],
  ['uri-05', 'encodes a separator in lower case', read('file:///private%2fa'), 'deny', 'uri-not-canonical'],
  ['uri-06', 'doubles a separator', read('file:////private/a'), 'deny', 'uri-not-canonical'],
  ['uri-07', 'adds a segment that means nothing', read('file:///./private/a'), 'deny', 'uri-not-canonical'],
  ['uri-08', 'writes the scheme in upper case', read('FILE:///private/a'), 'deny', 'uri-not-canonical'],
  ['uri-09', 'uses a backslash', read('file:///docs\\..\\private\\a'), 'deny', 'uri-not-canonical'],
  ['uri-10', 'adds a character without width', read('file:///pri\u200bvate/a'), 'deny', 'uri-not-canonical'],
  ['uri-11', 'ends the URI with NUL', read('file:///private/a%00.txt'), 'deny', 'uri-not-canonical'],
  ['uri-12', 'writes a letter and its accent apart', read('file:///re\u0301sume\u0301'), 'deny', 'uri-not-canonical'],
  ['uri-13', 'reverses the direction of the text', read('file:///\u202eetavirp/a'), 'deny', 'uri-not-canonical'],
];

const resembling: readonly Row[] = [
  ['name-01', 'writes a name in another case', files({ server: 'docs', tool: 'Files_read' }), 'deny', 'no-rule'],
  ['name-02', 'uses a Cyrillic letter', files({ server: 'dоcs', tool: 'files_read' }), 'deny', 'no-rule'],
  ['name-03', 'uses a full-width letter', files({ server: 'docs', tool: 'ｆiles_read' }), 'deny', 'no-rule'],
  ['name-04', 'uses a ligature', files({ server: 'docs', tool: 'ﬁles_read' }), 'deny', 'no-rule'],
  ['name-05', 'adds a character without width', files({ server: 'docs\u200b', tool: 'files_read' }), 'deny', 'no-rule'],
  ['name-06', 'adds a space', files({ server: 'docs ', tool: 'files_read' }), 'deny', 'no-rule'],
  ['name-07', 'puts a line break before the name', files({ server: 'docs', tool: 'x\nfiles_read' }), 'deny', 'no-rule'],
  ['name-08', 'offers the tool of another server', files({ server: 'evil', tool: 'files_read' }), 'deny', 'no-rule'],
  ['name-09', 'puts both names into one', files({ server: 'docs/files_read', tool: 'x' }), 'deny', 'no-rule'],
  [
    'name-10',
    'offers a prompt with the name of a tool',
    files({ server: 'docs', prompt: 'files_read' }),
    'deny',
    'no-rule',
  ],
  [
    'name-11',
    'has the subject at another issuer',
    files({ server: 'docs', tool: 'files_read' }, { ...alice, issuer: 'https://other.test' }),
    'deny',
    'no-rule',
  ],
  [
    'name-12',
    'has a scope with the name of a role',
    files({ tool: 'audit' }, { ...alice, scopes: ['admin'] }),
    'deny',
    'no-rule',
  ],
  [
    'name-13',
    'has a role that begins like another',
    files({ tool: 'audit' }, { ...alice, roles: ['admins'] }),
    'deny',
    'no-rule',
  ],
  [
    'name-14',
    'has the role in a claim',
    files({ tool: 'audit' }, { ...alice, claims: { role: 'admin', roles: ['admin'] } }),
    'deny',
    'no-rule',
  ],
  ['uri-14', 'reads below a folder that one star allows', read('file:///docs/a/b'), 'deny', 'no-rule'],
  ['uri-15', 'hides a separator from the star', read('file:///docs/a%2Fb'), 'deny', 'no-rule'],
  ['uri-16', 'puts the allowed URI into a query', read('http://x/?file:///docs/a'), 'deny', 'no-rule'],
];

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { x: nested(levels - 1) };
}

export const policies: readonly Attack[] = [
  ...avoiding.map((row) => ({ row, document: policy })),
  ...resembling.map((row) => ({ row, document: narrow })),
].map(
  ({ row: [id, does, request, code, because], document }): Attack => ({
    id,
    attacker: id.startsWith('name-0') && 'server' in (request.target as Json) ? 'a server' : 'a caller',
    does,
    sends: { policy: document, request },
    gets: { code, because },
  }),
);
