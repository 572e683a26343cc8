/** A server leads the OAuth client of a program into the network of that program, or to an authorization server of its own. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clientCredentials, oauth } from 'tenon/auth';
import { createUrlGuard } from 'tenon/input-safety';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failureOf, setUp } from '../../kit/auth/challenging-server.ts';

/** A service in the network of the program. */
async function privateService(answer: RequestListener = (_request, response) => void response.end('{}')) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  return { asked, port: (server.address() as AddressInfo).port };
}

/** A guard for which this machine is public, but for the address of the private service. */
function guardOf(...ports: readonly (string | number)[]) {
  const guard = createUrlGuard({
    allow: ['https://*', ...ports.map((port) => `http://*:${port}`)],
    allowedNetworks: ['127.0.0.1/32'],
    lookup: async (name) => [name === 'localhost' ? '127.0.0.1' : '169.254.169.254'],
  });
  onTestFinished(() => guard.close());
  return guard;
}

const portOf = (url: string): string => new URL(url).port;

describe('with fetch of a URL guard, the OAuth client sends nothing', () => {
  it('to an authorization server in a private network [s-security-50, s-security-52, e-secbp-07, e-secbp-08]', async () => {
    const { asked, port } = await privateService();
    const { server, metadata, connect } = await setUp();
    const { fetch } = guardOf(port, portOf(server.url));
    for (const issuer of [
      `http://127.0.0.2:${port}`,
      'https://10.0.0.1',
      'https://[fd00::1]',
      'https://metadata.test',
    ]) {
      metadata.authorization_servers = [issuer];
      const error = await failureOf(connect({ fetch }));
      expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'server-metadata' } });
    }
    expect(asked).toEqual([]);
  });

  it('to an endpoint in a private network that a public authorization server names [s-security-50, e-secbp-08]', async () => {
    const { asked, port } = await privateService();
    const { server, authority, connect } = await setUp();
    const { fetch } = guardOf(port, portOf(server.url), portOf(authority.issuer));
    for (const name of ['registration_endpoint', 'token_endpoint']) {
      const before = authority.metadata[name];
      authority.metadata[name] = `http://127.0.0.2:${port}/${name}`;
      expect(await failureOf(connect({ fetch }))).toMatchObject({ code: 'authorization-failed' });
      authority.metadata[name] = before;
    }
    expect(asked).toEqual([]);
  });

  it('to where a document redirects [s-security-53, e-secbp-08]', async () => {
    const { asked, port } = await privateService();
    const { server, authority, connect } = await setUp();
    authority.routes['/.well-known/oauth-authorization-server'] = () => ({
      status: 302,
      headers: { location: `http://127.0.0.2:${port}/` },
    });
    const { fetch } = guardOf(port, portOf(server.url), portOf(authority.issuer));
    expect(await failureOf(connect({ fetch }))).toMatchObject({ code: 'authorization-failed' });
    expect(await failureOf(connect())).toMatchObject({ code: 'authorization-failed' });
    expect(asked).toEqual([]);
  });

  it('else is refused: a public authorization server is used', async () => {
    const { server, authority, connect } = await setUp();
    const { fetch } = guardOf(portOf(server.url), portOf(authority.issuer));
    await (await connect({ fetch })).close();
    expect(authority.requested('/token')).toHaveLength(1);
  });
});

describe('the secret of a client', () => {
  it('needs the issuer that it belongs to: a server could name any other [e-auth-87]', () => {
    const client = { clientId: 'app', clientSecret: 'planted' };
    expect(() => oauth({ client })).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    expect(() => oauth({ client, grant: clientCredentials() })).toThrow(/client\.issuer must be set/);
  });

  it.each([
    ['authorization code', undefined],
    ['client credentials', clientCredentials()],
  ])('is not sent to the authorization server that a server names, with %s', async (_, grant) => {
    const { authority, connect } = await setUp();
    const client = { clientId: 'app', clientSecret: 'planted', issuer: 'https://id.example.com' };
    const error = await failureOf(connect({ client, ...(grant && { grant }) }));
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'registration' } });
    expect(authority.requested('/token')).toEqual([]);
  });
});
