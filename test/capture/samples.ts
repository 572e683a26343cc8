/** Texts with a secret each, made up, and texts that only look like one. */

/** In parts, so that no tool that looks for secrets finds one here. */
const made = (...parts: readonly string[]): string => parts.join('');

const long = 'a1B2c3D4e5F6g7H8i9J0';
const jwt = made('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0NTY3ODkwIn0', '.dozjgNryP4J3jVmNHl0w5N');

const call = (args: unknown): unknown => ({ id: 1, method: 'tools/call', params: { name: 't', arguments: args } });
const said = (text: string): unknown => ({ id: 1, result: { content: [{ type: 'text', text }] } });

/** What it is, the secret, and a message with it. */
export const secrets: readonly (readonly [string, string, unknown])[] = [
  ['a field password', 'hunter2hunter', call({ password: 'hunter2hunter' })],
  ['a field api_key', 'k-12345', call({ api_key: 'k-12345' })],
  ['a field apiKey', 'k-12346', call({ apiKey: 'k-12346' })],
  ['a field X-Api-Key', 'k-12347', call({ headers: { 'X-Api-Key': 'k-12347' } })],
  ['a field token', 'tok-1', call({ token: 'tok-1' })],
  ['a field accessToken', 'tok-2', call({ accessToken: 'tok-2' })],
  ['a field refresh_token', 'tok-3', call({ refresh_token: 'tok-3' })],
  ['a field client_secret', 'cs-123', call({ client_secret: 'cs-123' })],
  ['a list of passwords', 'pw-in-list', call({ passwords: ['pw-in-list'] })],
  ['a field authorization', 'abc123xyz', call({ authorization: 'abc123xyz' })],
  ['a field cookie', 'sid=9876', call({ cookie: 'sid=9876' })],
  ['a field sessionId', 'sess-4711', call({ sessionId: 'sess-4711' })],
  ['a field privateKey', 'pk-material', call({ privateKey: 'pk-material' })],
  ['a field passphrase', 'open sesame', call({ passphrase: 'open sesame' })],
  ['a field credential', 'cred-77', call({ credential: 'cred-77' })],
  ['a field jwt', 'j-w-t', call({ jwt: 'j-w-t' })],
  ['a field otp', '493021', call({ otp: '493021' })],
  ['a number as pin', '73951', call({ pin: 73951 })],
  ['a field pwd', 'pwd-99', call({ pwd: 'pwd-99' })],
  ['requestState', 'sealed.state.value', { id: 1, result: { requestState: 'sealed.state.value' } }],
  ['the ID of a task', '0123456789abcdef', { id: 1, result: { taskId: '0123456789abcdef' } }],
  ['_meta.authorization', 'meta-bearer-1', { id: 1, method: 'ping', _meta: { authorization: 'Bearer meta-bearer-1' } }],
  ['a bearer token in a text', 'tok.en.value', said('I sent Bearer tok.en.value to it')],
  ['a basic credential in a text', 'dXNlcjpwYXNz', said('with Basic dXNlcjpwYXNz as header')],
  ['a JSON Web Token in a text', jwt, said(`it is ${jwt}, look`)],
  ['a key of OpenAI', made('sk-', long), said(`use ${made('sk-', long)}`)],
  ['a key of Anthropic', made('sk-ant-api03-', long), said(`use ${made('sk-ant-api03-', long)}`)],
  ['a key of Stripe', made('rk_live_', long), said(made('rk_live_', long))],
  ['a token of GitHub', made('ghp_', long), said(`ghp: ${made('ghp_', long)}`)],
  ['a fine token of GitHub', made('github_pat_', long), said(made('github_pat_', long))],
  ['a token of GitLab', made('glpat-', long), said(made('glpat-', long))],
  ['a token of Slack', made('xoxb-', long), said(made('xoxb-', long))],
  ['a token of npm', made('npm_', long), said(made('npm_', long))],
  ['a key of Amazon', made('AKIA', 'ABCDEFGHIJKLMNOP'), said(`id ${made('AKIA', 'ABCDEFGHIJKLMNOP')}`)],
  ['a key of Google', made('AIza', long, long), said(made('AIza', long, long))],
  ['a password in a URL', 'p4ssw0rd', said('postgres://ada:p4ssw0rd@db.example/app')],
  ['a private key', 'MIIEvQIBADANBg', said('-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----')],
  ['a named value in a text', 'v4lue', said('set API_KEY=v4lue before')],
  ['JSON inside a text', 'inn3r', said('{"password":"inn3r","city":"Bern"}')],
  ['the query of a sign-in link', 'c0de', elicitation('https://id.example/login?code=c0de&state=x')],
];

function elicitation(url: string): unknown {
  return { id: 3, method: 'elicitation/create', params: { mode: 'url', message: 'Sign in', url } };
}

/** Messages without a secret. */
export const lookAlikes: readonly (readonly [string, unknown])[] = [
  ['a progress token', { method: 'notifications/progress', params: { progressToken: 'p-1', progress: 1 } }],
  ['a cursor', { id: 1, result: { nextCursor: 'eyJvIjoxMH0', tools: [] } }],
  ['a page token', call({ pageToken: 'page-2', nextPageToken: 'page-3' })],
  ['a schema with a password', { id: 1, result: { inputSchema: { properties: { password: { type: 'string' } } } } }],
  ['a boolean named token', call({ token: true })],
  ['null as a password', call({ password: null })],
  ['the word token', said('The token of my appreciation is a poem.')],
  ['the word secret', said('The secret of good tea is patience.')],
  ['the word password', said('Choose a good password and write to us.')],
  ['the word bearer', said('the bearer of good news')],
  ['the word basic', said('a basic income for everyone')],
  ['the word cookie', said('A cookie with raisins')],
  ['a keyboard', call({ keyboard: 'qwerty' })],
  ['a monkey', call({ monkey: 'Abu', donkey: 'Eeyore' })],
  ['an author', call({ author: 'Ada', authors: ['Grace'] })],
  ['a path with keys', said('/home/me/keys/readme.md')],
  ['a UUID', call({ id: '123e4567-e89b-12d3-a456-426614174000' })],
  ['a SHA-256', call({ digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' })],
  ['a commit', said('in commit 77a795ab1f')],
  ['an email address', said('write to ada@example.com')],
  ['a URL', said('https://example.com/a/b?page=2&sort=name')],
  ['a URL with a code of a country', said('https://example.com/?code=CH&state=open')],
  ['a URL with a port', said('http://localhost:3000/mcp')],
  ['a time', said('at 12:30:45')],
  ['a date', call({ at: '2026-11-17T04:30:00Z' })],
  [
    'a base64 picture',
    { id: 1, result: { content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] } },
  ],
  ['a name that begins like a key', said('sk-learn is a library, pk-dance a club')],
  ['a name that begins like a token', said('npm_config and hf_hub')],
  ['a primary key', call({ primary_key: 'id', foreignKey: 'user' })],
  ['a key', call({ key: 'ArrowLeft' })],
  ['keys', call({ keys: ['a', 'b'] })],
  ['a tokenizer', call({ tokenizer: 'cl100k', tokens: 512 })],
  ['max tokens', { id: 1, method: 'sampling/createMessage', params: { maxTokens: 100 } }],
  ['a pass rate', call({ passRate: 0.9, passed: 12 })],
  ['a compass', call({ compass: 'north' })],
  ['a sidebar', call({ sidebar: 'open' })],
  ['a pinned item', call({ pinned: 'yes', pinboard: 'work' })],
  ['an opt-in', call({ optIn: 'newsletter' })],
  ['a mention of authorization', said('This needs authorization from the owner.')],
  ['a version', said('Basic 4 and Bearer 2')],
  ['a long word', said('Donaudampfschifffahrtselektrizitaetenhauptbetriebswerk')],
];
