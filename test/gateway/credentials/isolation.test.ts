/** What callers send never reaches an upstream, and what upstreams ask for never reaches a caller. */
import { generateApiKey } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { startProtected } from '../../kit/auth/protected-server.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
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
    const target = {
      url: gateway.url,
      headers: { 'x-api-key': ada.key, cookie: 'planted=cookie', 'x-planted': 'planted-header' },
    };
    const client = await clientOf(target, { tap: (event) => void answers.push(JSON.stringify(event)) });
    expect(textOf(await client.tools.call('who', {}, { meta: { authorization: 'planted-meta' } }))).toBe('gateway');
    const received = one.seen.join('\n');
    expect(received).toContain('planted-secret');
    for (const planted of [ada.key, 'planted=cookie', 'planted-header', 'planted-meta'])
      expect(received).not.toContain(planted);
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
    const listed = await client.tools
      .list()
      .all()
      .catch(() => []);
    expect(listed).toEqual([]);
    const raw = await send(gateway.url, loneCall('echo'));
    expect(raw.status).not.toBe(status);
    const received = [...answers, JSON.stringify(raw.headers), raw.text].join('\n');
    for (const planted of ['planted', 'www-authenticate', 'resource_metadata']) expect(received).not.toContain(planted);
  });

  it('of a client are exchanged for tokens at the issuer in the file, and reach no other server', async () => {
    const third = await startProtected((url) => ({
      resources: [url],
      clients: [{ client_id: 'gateway', client_secret: 'planted-client' }],
    }));
    const gateway = await serving(
      `listen: 127.0.0.1:0
secretsFile: s.yaml
upstreams:
  third:
    url: ${third.url}
    auth: { type: client-credentials, issuer: '${third.server.issuer}', clientId: gateway, secret: client }
`,
      { 's.yaml': 'client: planted-client' },
    );
    const [one, two] = [await clientOf(gateway.url), await clientOf(gateway.url)];
    expect(textOf(await one.tools.call('whoami', {}))).toBe('gateway');
    expect(textOf(await two.tools.call('whoami', {}))).toBe('gateway');
    expect(third.redemptions('client_credentials')).toBe(1);
  });
});
