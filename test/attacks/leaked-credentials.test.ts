/** Tokens, proofs, API keys and client secrets are written nowhere: no log, warning, error, span, metric, record or response. */
import { generateApiKey } from 'tenon/auth';
import { afterEach, expect, it } from 'vitest';
import { makeProof, newProofKey } from '../kit/auth/dpop.ts';
import { newKey, resource, seconds, startIssuer } from '../kit/auth/issuer.ts';
import { call, initialize, loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { bundledProgram } from '../kit/process/bundled-program.ts';
import { endAll, type RawProcess, startRaw } from '../kit/process/raw-process.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import type { CanarySettings } from './fixtures/protected-server.ts';

afterEach(endAll);

const clientSecret = 'canary-client-secret-81f2';
const opaque = 'canary-opaque-token-5d07';

/** The parts of a credential that would reveal it, also encoded; those of a JWT without its header, which is no secret. */
function tracesOf(credential: string): string[] {
  const parts = credential.split('.');
  const secrets = parts.length === 3 ? [parts[1] ?? '', parts[2] ?? ''] : [credential];
  return secrets.flatMap((secret) => [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -2),
    encodeURIComponent(secret),
  ]);
}

/** Starts servers over a transport, and makes credentials of every kind for them. */
async function start(transport: CanarySettings['transport']) {
  const [signing, foreign, bound] = await Promise.all([newKey('k1'), newKey('k1'), newProofKey()]);
  const issuer = await startIssuer(signing);
  issuer.introspect = (form) =>
    form.get('token') === opaque
      ? { active: true, sub: 'ada', aud: resource, exp: seconds() + 600 }
      : `no such token: ${form.get('token')} of ${form.get('client_id')}`;
  const [ada, eve] = await Promise.all([generateApiKey(), generateApiKey()]);
  const settings: CanarySettings = {
    issuer: issuer.issuer,
    resource,
    clientSecret,
    transport,
    keys: [{ id: ada.id, hash: ada.hash, subject: 'ada' }],
  };
  const boundToken = await issuer.sign({ cnf: { jkt: bound.jkt } });
  const credentials = {
    token: await issuer.sign({ jti: 'good' }),
    boundToken,
    proof: await makeProof(bound, boundToken),
    staleProof: await makeProof(bound, boundToken, { iat: seconds() - 900 }),
    expired: await issuer.sign({ exp: seconds() - 900 }),
    forged: await issuer.sign({ sub: 'eve' }, { key: foreign }),
    foreignAudience: await issuer.sign({ aud: 'https://other.example' }),
    opaque,
    unknownOpaque: 'canary-unknown-token-77aa',
    apiKey: ada.key,
    wrongKey: eve.key,
  };
  const file = await bundledProgram('protected-server', 'attacks');
  return { credentials, bound, child: startRaw(file, { env: { SETTINGS: JSON.stringify(settings) } }) };
}

type Urls = Record<'tokens' | 'keys' | 'quoting' | 'unreachable', string>;

async function urlsOf({ child, lines }: RawProcess): Promise<Urls> {
  const ready = (): string | undefined => lines.find((line) => line.startsWith('ready '));
  const listening = new Promise<void>((resolve) => {
    const look = (): void =>
      ready() === undefined ? void child.stdout.once('data', () => setImmediate(look)) : resolve();
    look();
  });
  await withTimeout(listening, 'the servers to listen');
  return JSON.parse(ready()?.slice('ready '.length) ?? '') as Urls;
}

/** Messages with a credential in their text, valid ones and broken ones. */
const messagesWith = (value: string): unknown[] => [
  { ...loneCall('whoami').body, _meta: { authorization: `Bearer ${value}` } },
  { ...loneCall('fail').body, _meta: { authorization: value } },
  loneCall('none').body,
  initialize('2025-11-25'),
  [call('whoami'), { ...call('fail', {}, 2), _meta: { authorization: `Bearer ${value}` } }],
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","_meta":{"authorization":"Bearer ${value}"}`,
  `{"jsonrpc":"2.0","id":1,"method":7,"_meta":{"authorization":"Bearer ${value}"}}`,
  `authorization: Bearer ${value}`,
];

/** The credentials that were written, each with the text around it. */
const credentialsIn = (written: string, credentials: Record<string, string>): string[] =>
  Object.entries({ ...credentials, clientSecret }).flatMap(([name, value]) =>
    tracesOf(value)
      .map((trace) => written.indexOf(trace))
      .filter((at) => at !== -1)
      .map((at) => `${name}: ${written.slice(Math.max(0, at - 300), at + 80)}`),
  );

/** Every kind of text was written. */
const always = ['flushed', 'mcp.method.name', 'mcp.server.operation.duration', "'call'", "'context'"];

it('no credential is in anything that servers over HTTP write, whether it is accepted, refused, or cannot be checked [S21, S36]', async () => {
  const { credentials, bound, child } = await start('http');
  const urls = await urlsOf(child);
  const answers: string[] = [];
  const statuses = new Set<number>();
  const { headers: alone, body: plain } = loneCall('whoami');
  const post = async (url: string, headers: Record<string, string>, body: unknown): Promise<void> => {
    const answer = await send(url, { body, headers: { ...(body === plain && alone), ...headers } });
    statuses.add(answer.status);
    answers.push(JSON.stringify(answer.headers), answer.text);
  };
  const { token, boundToken, apiKey } = credentials;
  await Promise.all(
    Object.values(credentials).flatMap((value) => [
      ...[urls.quoting, urls.unreachable].map((url) => post(url, { authorization: `Bearer ${value}` }, plain)),
      ...[urls.tokens, urls.keys].map(async (url) => {
        const places: Record<string, string>[] = [
          { authorization: `Bearer ${value}` },
          { authorization: `DPoP ${value}`, dpop: await makeProof(bound, value) },
          { authorization: `DPoP ${boundToken}`, dpop: value },
          { 'x-api-key': value },
          { cookie: `token=${value}`, 'x-request-id': 'one' },
          { authorization: `Basic ${value}` },
          { authorization: `Bearer ${value} ${value}` },
        ];
        for (const headers of places) await post(url, headers, plain);
        await post(`${url}?access_token=${value}`, {}, plain);
      }),
      ...messagesWith(value).map((body) => post(urls.tokens, { authorization: `Bearer ${token}` }, body)),
      ...messagesWith(value).map((body) => post(urls.keys, { 'x-api-key': apiKey }, body)),
    ]),
  );
  child.child.stdin.end();
  await child.ended;
  expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 500, 503]));
  const written = `${child.lines.join('\n')}\n${child.stderr()}\n${answers.join('\n')}`;
  const kinds = ["'store'", 'authenticate() failed', 'session opened', 'no such token: [masked]', 'invalid_dpop_proof'];
  for (const kind of [...always, ...kinds]) expect(written).toContain(kind);
  expect(credentialsIn(written, credentials)).toEqual([]);
});

it('no credential in _meta.authorization is in anything that a server over stdio writes [S21, S36]', async () => {
  const { credentials, child } = await start('stdio');
  let id = 0;
  const ask = (tool: string, authorization: string): void =>
    child.send({ ...loneCall(tool, {}, {}, ++id).body, _meta: { authorization } });
  for (const value of Object.values(credentials)) {
    for (const text of [value, `Bearer ${value}`, `DPoP ${value}`, `Basic ${value}`]) ask('whoami', text);
    ask('fail', `Bearer ${value}`);
  }
  for (const value of Object.values(credentials)) child.send(...messagesWith(value).slice(5));
  await Promise.all(Array.from({ length: id }, (_, place) => child.answer(place + 1)));
  child.child.stdin.end();
  await child.ended;
  const written = `${child.lines.join('\n')}\n${child.stderr()}`;
  for (const kind of [...always, 'failed for', '[masked]']) expect(written).toContain(kind);
  expect(credentialsIn(written, credentials)).toEqual([]);
});
