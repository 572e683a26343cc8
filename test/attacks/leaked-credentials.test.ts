/** Tokens, proofs, API keys and client secrets are written nowhere: no log, warning, error, span, metric, record or response. */
import { createApiKey } from 'tenon/auth';
import { afterEach, expect, it } from 'vitest';
import { makeProof, newProofKey } from '../kit/auth/dpop.ts';
import { newKey, resource, seconds, startIssuer } from '../kit/auth/issuer.ts';
import { call, initialize, loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { bundledProgram } from '../kit/process/bundled-program.ts';
import { endAll, startRaw } from '../kit/process/raw-process.ts';
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

async function startServers() {
  const [signing, foreign, bound] = await Promise.all([newKey('k1'), newKey('k1'), newProofKey()]);
  const issuer = await startIssuer(signing);
  const [ada, eve] = await Promise.all([createApiKey(), createApiKey()]);
  const settings: CanarySettings = {
    issuer: issuer.issuer,
    resource,
    clientSecret,
    keys: [{ id: ada.id, hash: ada.hash, subject: 'ada' }],
  };
  const file = await bundledProgram('protected-server', 'attacks');
  const child = startRaw(file, { env: { SETTINGS: JSON.stringify(settings) } });
  const ready = (): string | undefined => child.lines.find((line) => line.startsWith('ready '));
  await withTimeout(
    new Promise<void>((resolve) => {
      const look = (): void =>
        ready() === undefined ? void child.child.stdout.once('data', () => setImmediate(look)) : resolve();
      look();
    }),
    'the servers to listen',
  );
  const urls = JSON.parse(ready()?.slice('ready '.length) ?? '') as Record<
    'tokens' | 'keys' | 'quoting' | 'unreachable',
    string
  >;
  return { issuer, foreign, bound, ada, eve, urls, child };
}

it('no credential is in anything that servers write, whether it is accepted, refused, or cannot be checked [S21, S36]', async () => {
  const { issuer, foreign, bound, ada, eve, urls, child } = await startServers();
  issuer.introspect = (form) =>
    form.get('token') === opaque
      ? { active: true, sub: 'ada', aud: resource, exp: seconds() + 600 }
      : `no such token: ${form.get('token')} of ${form.get('client_id')}`;
  const token = await issuer.sign({ jti: 'good' });
  const boundToken = await issuer.sign({ cnf: { jkt: bound.jkt } });
  const credentials: Record<string, string> = {
    token,
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
  const bodies = (value: string): unknown[] => [
    loneCall('whoami').body,
    { ...loneCall('whoami').body, _meta: { authorization: `Bearer ${value}` } },
    { ...loneCall('fail').body, _meta: { authorization: value } },
    loneCall('none').body,
    initialize('2025-11-25'),
    [call('whoami'), { ...call('fail', {}, 2), _meta: { authorization: `Bearer ${value}` } }],
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","_meta":{"authorization":"Bearer ${value}"}`,
    `{"jsonrpc":"2.0","id":1,"method":7,"_meta":{"authorization":"Bearer ${value}"}}`,
    `authorization: Bearer ${value}`,
  ];
  const answers: string[] = [];
  const statuses = new Set<number>();
  const post = async (url: string, headers: Record<string, string>, body: unknown): Promise<void> => {
    const sent = loneCall('whoami');
    const isAlone = body === sent.body || JSON.stringify(body) === JSON.stringify(sent.body);
    const answer = await send(url, { body, headers: { ...(isAlone && sent.headers), ...headers } });
    statuses.add(answer.status);
    answers.push(JSON.stringify(answer.headers), answer.text);
  };
  await Promise.all(
    Object.values(credentials).flatMap((value) => {
      const [first, ...others] = bodies(value);
      return [
        ...Object.values(urls).map(async (url) => {
          const places: Record<string, string>[] = [
            { authorization: `Bearer ${value}` },
            { authorization: `DPoP ${value}`, dpop: await makeProof(bound, value) },
            { authorization: `DPoP ${boundToken}`, dpop: value },
            { 'x-api-key': value },
            { cookie: `token=${value}`, 'x-request-id': 'one' },
            { authorization: `Basic ${value}` },
            { authorization: `Bearer ${value} ${value}` },
          ];
          for (const headers of places) await post(url, headers, first);
          await post(`${url}?access_token=${value}`, {}, first);
        }),
        ...others.map((body) => post(urls.tokens, { authorization: `Bearer ${token}` }, body)),
        ...others.map((body) => post(urls.keys, { 'x-api-key': ada.key }, body)),
      ];
    }),
  );
  child.child.stdin.end();
  await child.ended;

  // Everything was written, and of every kind.
  const written = `${child.lines.join('\n')}\n${child.stderr()}\n${answers.join('\n')}`;
  for (const kind of [
    'flushed',
    'mcp.method.name',
    'mcp.server.operation.duration',
    "'store'",
    'authenticate() failed',
    'session opened',
    'no such token: [masked]',
    'use_dpop_nonce|invalid_dpop_proof',
    "'call'",
    "'context'",
  ])
    expect(written).toMatch(new RegExp(kind.replace(/[[\]().]/g, '\\$&')));
  expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 500, 503]));
  for (const [name, value] of Object.entries({ ...credentials, clientSecret }))
    for (const trace of tracesOf(value)) {
      const at = written.indexOf(trace);
      expect(at === -1 ? '' : `${name}: ${written.slice(at - 300, at + 80)}`).toBe('');
    }
});
