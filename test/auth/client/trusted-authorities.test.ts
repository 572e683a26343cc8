/** Requests to authorization servers: they trust what their target trusts, and use the proxies of the environment. */
import { createServer, request as requestHttp } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { connect } from 'tenon';
import { type OAuthOptions, oauth } from 'tenon/auth';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ownCertificate } from '../../client/http/fixtures/certificates.ts';
import { failureOf, type Setting, setUp } from '../../kit/auth/challenging-server.ts';
import { alone } from '../../kit/http/scripted-server.ts';

const setUpTls = (): Promise<Setting> => setUp(undefined, undefined, { tls: ownCertificate });
const versions = { protocolVersions: [alone] } as const;

describe('The certificate of an authorization server', () => {
  it('is trusted if ca of the target has its authority, after the connection too', async () => {
    const { server, authority } = await setUpTls();
    authority.metadata.revocation_endpoint = `${authority.issuer}/revoke`;
    authority.routes['/revoke'] = () => ({});
    const auth = oauth({ signIn: authority.signIn });
    const client = await connect({ url: server.url, auth, ca: ownCertificate.cert }, versions);
    expect(await client.tools.call('write')).toMatchObject({ content: [{}] });
    await client.close();
    await auth.signOut();
    expect(authority.requested('/token').length).toBe(1);
    expect(authority.requested('/revoke').length).toBe(1);
  });

  it('is checked against authorities that are read once, however many requests there are', async () => {
    const created = vi.spyOn(tls, 'createSecureContext');
    syncBuiltinESMExports();
    onTestFinished(() => {
      created.mockRestore();
      syncBuiltinESMExports();
    });
    const { server, authority } = await setUpTls();
    created.mockClear();
    const auth = oauth({ signIn: authority.signIn });
    // Another list than that of other tests, which may have been read before.
    const ca = [ownCertificate.cert, ownCertificate.cert];
    await (await connect({ url: server.url, auth, ca }, versions)).close();
    expect(authority.requests.length).toBeGreaterThan(2);
    expect(created).toHaveBeenCalledTimes(1);
  });

  it('is not trusted otherwise, and the error says so', async () => {
    const { server, authority } = await setUpTls();
    const error = await failureOf(connect({ url: server.url, auth: oauth({ signIn: authority.signIn }) }, versions));
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'server-metadata' } });
    expect(JSON.stringify(error.details.steps)).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(authority.requests).toEqual([]);
  });

  it('is a matter of fetch where oauth has one', async () => {
    const { server, authority } = await setUpTls();
    const asked: string[] = [];
    const options: OAuthOptions = {
      signIn: authority.signIn,
      fetch: async (url) => {
        asked.push(String(url));
        throw new Error('Blocked.');
      },
    };
    await failureOf(connect({ url: server.url, auth: oauth(options), ca: ownCertificate.cert }, versions));
    expect(asked.length).toBeGreaterThan(0);
    expect(authority.requests).toEqual([]);
  });
});

it('The proxies of the environment are used for authorization servers too', async () => {
  const { server, authority, connect: signIn } = await setUp();
  const seen: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    const { method = '', headers } = incoming;
    const passed = requestHttp(incoming.url ?? '', { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    proxy.closeAllConnections();
    proxy.close();
  });
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  vi.stubEnv('NO_PROXY', '');
  const client = await signIn();
  await client.close();
  expect(seen).toContain(`POST ${authority.issuer}/token`);
  expect(seen).toContain(`POST ${server.url}`);
});
