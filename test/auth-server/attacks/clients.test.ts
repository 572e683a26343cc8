/** More attacks by clients, numbered as in docs/decisions/auth-server.md: what they register, publish and send. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withDocumentFetch } from '../../../src/auth-server/clients/documents.ts';
import { Browser } from '../../kit/auth-server/browser.ts';
import { redirectUri, secret, startSignInServer } from '../../kit/auth-server/sign-in-server.ts';

describe('a redirect URI', () => {
  it.each([
    ['a host with percent signs', 'https://%65ditor.example/'],
    ['a host in a mapped alphabet', 'https://editor.ex\u212bmple/'],
    ['a number as host', 'http://2130706433/'],
    ['a short address', 'http://127.1/'],
    ['an octal address', 'http://0177.0.0.1/'],
    ['no slashes', 'https:editor.example/'],
    ['three slashes', 'https:///editor.example/'],
    ['a loopback name with a final dot', 'http://localhost./'],
    ['the address of all interfaces', 'http://0.0.0.0/'],
    ['a subdomain of localhost', 'http://editor.localhost/'],
    ['a mapped address', 'http://[::ffff:127.0.0.1]/'],
    ['a tab in the scheme', 'java\tscript:alert(1)'],
    ['a blob', 'blob:https://editor.example/x'],
  ])('67: with %s is refused', async (_, uri) => {
    const server = await startSignInServer();
    await expect(server.register({ redirect_uris: [uri] })).rejects.toThrow(/invalid_(redirect_uri|client_metadata)/);
  });

  it('68: of a host with a final dot, in punycode or with a port is that host alone', async () => {
    const server = await startSignInServer();
    const uris = ['https://editor.example./cb', 'https://xn--ditor-9ra.example/cb', 'https://editor.example:8443/cb'];
    for (const uri of uris) {
      const client = await server.register({ redirect_uris: [uri] });
      const page = await server.consent(new Browser(), client, { redirect_uri: uri });
      expect(page.html).toContain(`<b>${new URL(uri).host}</b>`);
      const other = await new Browser().get(
        server.authorization(client, { redirect_uri: 'https://editor.example/cb' }),
      );
      expect([other.status, other.location]).toEqual([400, undefined]);
    }
  });
});

/** A revocation by a client that has another address; resolves with the status. */
function revokeFromElsewhere(issuer: string, client: string): Promise<number | undefined> {
  const body = new URLSearchParams({ token: 'x', client_id: client }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, localAddress: '127.0.0.2' };
    httpRequest(`${issuer}/revoke`, options, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end(body);
  });
}

describe('a document', () => {
  const id = 'https://client.example/metadata.json';
  const document = { client_id: id, client_name: 'Document', redirect_uris: [redirectUri] };

  it.each([
    ['of 65 KiB', async () => Response.json({ ...document, other: 'x'.repeat(65 * 1024) })],
    [
      'that does not come',
      (_url: string, { signal }: RequestInit) =>
        new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    ],
    ['that is empty', async () => new Response('')],
    ['of another form', async () => Response.json([document])],
    ['that is null', async () => new Response('null')],
  ])('69: %s is refused', async (_, fetch) => {
    const server = await startSignInServer({ options: withDocumentFetch(fetch as never) });
    const page = await new Browser().get(server.authorization(id));
    expect([page.status, page.location]).toEqual([400, undefined]);
  });

  it('69: of 20 KiB is read', async () => {
    const large = async () =>
      Response.json({ ...document, token_endpoint_auth_method: 'none', other: 'x'.repeat(20_480) });
    const server = await startSignInServer({ options: withDocumentFetch(large) });
    expect((await server.consent(new Browser(), id)).status).toBe(200);
  });

  it('98: that never comes takes no more fetches for one address than are left to clients of others', async () => {
    let asked = 0;
    const fetch = (url: string, { signal }: RequestInit) => {
      if (url === id) return Promise.resolve(Response.json({ ...document, token_endpoint_auth_method: 'none' }));
      asked++;
      return new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    };
    const server = await startSignInServer({ options: withDocumentFetch(fetch as never) });
    const flood = Array.from({ length: 60 }, (_, n) =>
      revokeFromElsewhere(server.issuer, `https://slow${n}.example/x`),
    );
    await expect.poll(() => asked).toBe(10);
    expect((await server.consent(new Browser(), id)).status).toBe(200);
    expect(await Promise.all(flood)).not.toContain(200);
    expect([await revokeFromElsewhere(server.issuer, 'https://slow.example/y'), asked]).toEqual([429, 10]);
  });

  it.each([
    'https://localhost/x',
    'https://localhost./x',
    'https://2130706433/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://0/x',
    'https://metadata.google.internal/x',
  ])('70: at %s is not fetched', async (url) => {
    const server = await startSignInServer();
    const page = await new Browser().get(server.authorization(url));
    expect([page.status, page.location]).toEqual([400, undefined]);
  });

  it('70: in a private network is not asked for, not even by a connection', async () => {
    let connections = 0;
    const listener = createTcpServer((socket) => void (connections++, socket.destroy())).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    onTestFinished(() => void listener.close());
    const { port } = listener.address() as AddressInfo;
    const server = await startSignInServer();
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '127.1', '2130706433'])
      await new Browser().get(server.authorization(`https://${host}:${port}/x`));
    expect(connections).toBe(0);
  });

  it('71: whose keys are in a private network gives no token', async () => {
    const server = await startSignInServer();
    const client = await server.register({
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks_uri: 'https://127.0.0.1/keys',
    });
    const header = Buffer.from('{"alg":"ES256"}').toString('base64url');
    const claims = { iss: client, sub: client, aud: server.issuer, jti: 'x', exp: Math.floor(Date.now() / 1000) + 60 };
    const answer = await server.redeem(client, await server.signIn(client), {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${'A'.repeat(86)}`,
    });
    expect([answer.status >= 400, answer.body.access_token]).toEqual([true, undefined]);
  });
});

it.each([
  ['/token', { grant_type: 'refresh_token', refresh_token: 'x' }],
  ['/revoke', { token: 'x' }],
])('84: %s does not fetch documents for an attacker without end', async (path, parameters) => {
  let fetches = 0;
  const missing = async () => {
    fetches++;
    return new Response('', { status: 404 });
  };
  const server = await startSignInServer({ options: withDocumentFetch(missing) });
  const statuses: number[] = [];
  for (let at = 0; at < 40; at++) {
    const body = new URLSearchParams({ ...parameters, client_id: `https://victim.example/${at}` });
    statuses.push((await fetch(`${server.issuer}${path}`, { method: 'POST', body })).status);
  }
  expect([statuses.at(-1), fetches]).toEqual([429, 31]);
});

describe('a request', () => {
  it('72: that was pushed, or is elsewhere, is not read', async () => {
    const server = await startSignInServer();
    const client = await server.register();
    const requests = ['https://attacker.example/request', 'urn:ietf:params:oauth:request_uri:x'];
    for (const request_uri of requests) {
      const { location } = await new Browser().get(server.authorization(client, { request_uri }));
      expect(location?.searchParams.get('error')).toBe('request_uri_not_supported');
    }
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '73: of the client %s is one of none',
    async (id) => {
      const server = await startSignInServer();
      expect((await new Browser().get(server.authorization(id))).status).toBe(400);
      const { body } = await server.token({ grant_type: 'refresh_token', refresh_token: id, client_id: id });
      expect(body.error).toBe('invalid_client');
    },
  );

  it('74: cannot choose the host of a URL by its target', async () => {
    const server = await startSignInServer();
    const { pathname, search } = server.authorization(await server.register());
    const { port } = new URL(server.issuer);
    const targets = [`http://attacker.example${pathname}${search}`, `//attacker.example${pathname}${search}`];
    for (const path of targets) {
      const location = await new Promise<string | undefined>((resolve, reject) => {
        const sent = httpRequest({ port, host: '127.0.0.1', path, headers: { host: `127.0.0.1:${port}` } }, (answer) =>
          resolve(answer.resume().headers.location),
        );
        sent.on('error', reject).end();
      });
      expect(location ?? '').not.toContain('attacker');
    }
  });

  it('75: from an address that is only claimed counts for the address that it comes from', async () => {
    const server = await startSignInServer({ store: createMemoryStore() });
    const statuses = await Promise.all(
      Array.from({ length: 61 }, (_, at) =>
        new Browser().get(server.authorization('unknown'), { 'x-forwarded-for': `203.0.113.${at}` }),
      ),
    );
    expect(statuses.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('a registered client', () => {
  it('76: with a secret needs it, and not that of another', async () => {
    const server = await startSignInServer();
    const register = async () => {
      const response = await fetch(`${server.issuer}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_post' }),
      });
      return (await response.json()) as { client_id: string; client_secret: string };
    };
    const [one, other] = [await register(), await register()];
    for (const client_secret of [undefined, '', other.client_secret, 'x']) {
      const answer = await server.redeem(one.client_id, await server.signIn(one.client_id), { client_secret });
      expect([answer.body.error, answer.body.access_token]).toEqual(['invalid_client', undefined]);
    }
    const { client_id: id, client_secret } = one;
    expect((await server.redeem(id, await server.signIn(id), { client_secret })).status).toBe(200);
  });

  it('77: whose ID would not fit into a URL is refused', async () => {
    const server = await startSignInServer();
    const keys = Array.from({ length: 60 }, (_, at) => ({
      kty: 'EC',
      crv: 'P-256',
      kid: `${at}`,
      x: 'x'.repeat(43),
      y: 'y'.repeat(43),
    }));
    const refused = await server
      .register({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } })
      .catch((error: Error) => error.message);
    expect(refused.slice(0, 200)).toContain('invalid_client_metadata');
  });

  it('78: outlives a new secret of the server, as a sign-in does, and ends with the one that sealed it', async () => {
    const store = createMemoryStore();
    const old = await startSignInServer({ store });
    const client = await old.register();
    const browser = new Browser();
    const page = await old.consent(browser, client);
    const at = { store, origin: old.issuer };
    const rotated = await startSignInServer({ ...at, options: { secrets: ['n'.repeat(32), secret] } });
    browser.base = rotated.nodes[0]?.base;
    expect((await browser.get(page.url)).status).toBe(200);
    const without = await startSignInServer({ ...at, options: { secrets: ['n'.repeat(32)] } });
    const other = without.browser();
    expect((await other.get(without.authorization(client))).status).toBe(400);
  });
});
