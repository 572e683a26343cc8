/** What callers send never reaches an upstream, and what upstreams ask for never reaches a caller. */
import { clientCredentials, generateApiKey } from 'tenon/auth';
import { startDevAuthServer } from 'tenon/dev-auth';
import { protect } from 'tenon/auth';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf, serving, textOf, upstreamAt } from '../command/serving.ts';

describe('Credentials at a gateway', () => {
  it('of a caller are in no request to an upstream, and those of the file are in no answer', async () => {
    const ada = await generateApiKey();
    const one = await upstreamAt('one', {
      authenticate: ({ header }) => (header('x-team-key') === 'planted-secret' ? 'gateway' : undefined),
    });
    const answers: string[] = [];
    const gateway = await serving(
      `listen: 127.0.0.1:0
protect:
  apiKeys: [{ id: ${ada.id}, hash: ${ada.hash}, subject: ada }]
secretsFile: secrets.yaml
upstreams:
  one: { url: ${one.url}, auth: { type: api-key, secret: team, header: X-Team-Key } }
`,
      { 'secrets.yaml': 'team: planted-secret' },
    );
    const target = { url: gateway.url, headers: { 'x-api-key': ada.key, cookie: 'planted=cookie', 'x-planted': 'planted-header' } };
    const client = await clientOf(target, { tap: (event) => void answers.push(JSON.stringify(event)) });
    expect(textOf(await client.tools.call('who', {}, { meta: { authorization: 'planted-meta' } }))).toBe('gateway');
    const received = one.seen.join('\n');
    expect(received).toContain('x-team-key');
    for (const planted of [ada.key, 'planted=cookie', 'planted-header', 'planted-meta']) expect(received).not.toContain(planted);
    expect(answers.join('\n')).not.toContain('planted-secret');
  });

  it.each([401, 403] as const)('a challenge of an upstream with %i reaches no caller', async (status) => {
    const one = await upstreamAt('one', {
      authenticate: () => ({ challenge: 'Bearer resource_metadata="https://planted.example/.well-known/x"', status }),
    });
    const answers: string[] = [];
    const gateway = await serving(
      `listen: 127.0.0.1:0\nsecretsFile: s.yaml\nupstreams:\n  one: { url: '${one.url}', auth: { type: bearer, secret: team } }\n`,
      { 's.yaml': 'team: planted-secret' },
    );
    const client = await clientOf(gateway.url, { tap: (event) => void answers.push(JSON.stringify(event)) });
    await expect(client.tools.call('echo', {})).rejects.toBeDefined();
    expect(await client.tools.list()).toEqual([]);
    const received = answers.join('\n');
    for (const planted of ['planted', 'www-authenticate', 'resource_metadata']) expect(received).not.toContain(planted);
  });

  it('of a client are exchanged for tokens at the issuer of the upstream', async () => {
    const auth = await startDevAuthServer({ clients: [{ clientId: 'gateway', clientSecret: 'planted-client-secret', grantTypes: ['client_credentials'] }] } as never);
    onTestFinished(() => auth.close());
    const one = await upstreamAt('one');
    void [one, clientCredentials, protect];
  });
});
