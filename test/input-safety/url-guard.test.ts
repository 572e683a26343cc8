/** A URL guard: which URLs pass, which addresses are connected to, and what a server can do to a request. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createUrlGuard, type UrlGuard, type UrlGuardOptions } from 'tenon/input-safety';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withFixed } from '../kit/fixed-limits.ts';

const refused = expect.objectContaining({ code: 'url-not-allowed' });

describe('the allow-list of a URL guard', () => {
  const { check } = createUrlGuard({
    allow: [
      'https://api.example.com',
      'https://*.example.org',
      'http://files.example.com:8080/public/',
      'https://v.example.com/v1',
    ],
  });

  it.each([
    'https://api.example.com',
    'https://API.example.com/any?x=1',
    'https://api.example.com:443/',
    'https://a.example.org/',
    'https://a.b.example.org/',
    'http://files.example.com:8080/public/a.txt',
    'https://v.example.com/v1',
    'https://v.example.com/v1/x%20y',
  ])('lets %s pass [S24]', (url) => {
    expect(check(url).href).toBe(new URL(url).href);
  });

  it.each([
    'http://api.example.com/',
    'https://api.example.com:8443/',
    'https://api.example.com.evil.example/',
    'https://evil.example/https://api.example.com',
    'https://api.example.com@evil.example/',
    'https://user:password@api.example.com/',
    'https://evil.example#https://api.example.com',
    'https://evil.example\\@api.example.com/',
    'https://xapi.example.com/',
    'https://example.org/',
    'https://evilexample.org/',
    'https://api.example.com./',
    'http://files.example.com:8080/private/a.txt',
    'http://files.example.com:8080/public/../private/a.txt',
    'http://files.example.com:8080/public/%2e%2e/private/a.txt',
    'http://files.example.com:8080/public/..%2fprivate/a.txt',
    'http://files.example.com:8080/public/..%5cprivate/a.txt',
    'http://files.example.com:8080/public/..;/private/a.txt',
    'http://files.example.com:8080/public/..;x=1/private/a.txt',
    'http://files.example.com:8080/public/..%3B/private/a.txt',
    'http://files.example.com:8080/public/%2e%2e;/private/a.txt',
    'http://files.example.com:8080/public/.;/../private/a.txt',
    'http://files.example.com:8080/public/%252e%252e/private/a.txt',
    'https://v.example.com/v10',
    'file:///etc/passwd',
    'ftp://api.example.com/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'api.example.com',
    '//api.example.com',
    '',
  ])('refuses %s [S24]', (url) => {
    expect(() => check(url)).toThrow(refused);
  });

  it('shows no path, query or password in an error [S36]', () => {
    expect(() => check('https://evil.example/path?token=secret')).toThrow(
      'https://evil.example is not on the allow-list. Use an allowed URL, or add it to allow of createUrlGuard().',
    );
    expect(() => check('https://me:secret@evil.example/')).toThrow(/^(?!.*secret)/);
  });

  it.each([
    [[]],
    [['*']],
    [['https://']],
    [['example.com']],
    [['https://a.*.com']],
    [['https://*x.com']],
    [['ftp://a.example']],
    [['https://a.example/?x']],
    [['https://u:p@a.example']],
    [undefined],
  ])('cannot be %j', (allow) => {
    expect(() => createUrlGuard({ allow } as UrlGuardOptions)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    );
  });
});

describe('an address that is not public', () => {
  const { check } = createUrlGuard({ allow: ['http://*', 'https://*'] });

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::a00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:1::]/',
    'http://[2001:db8::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[100::1]/',
  ])('is refused in %s [S24]', (url) => {
    expect(() => check(url)).toThrow(refused);
  });

  it.each(['http://8.8.8.8/', 'http://172.32.0.1/', 'http://[2606:4700::1111]/', 'http://a.example/'])(
    'is not what %s has',
    (url) => {
      expect(check(url).href).toBe(url);
    },
  );

  it('is allowed if its network is listed', () => {
    const guard = createUrlGuard({ allow: ['http://*'], allowedNetworks: ['10.1.0.0/16', '::1'] });
    expect(guard.check('http://10.1.2.3/').hostname).toBe('10.1.2.3');
    expect(guard.check('http://[::1]/').hostname).toBe('[::1]');
    expect(() => guard.check('http://10.2.0.1/')).toThrow(refused);
    for (const network of ['10.0.0.0/33', '10.0.0.0/', 'x/8', '10.0.0.0/8/8'])
      expect(() => createUrlGuard({ allow: ['http://*'], allowedNetworks: [network] })).toThrow(
        expect.objectContaining({ code: 'invalid-argument' }),
      );
  });
});

/** A web server on loopback, under the names that the guard's look-up is given. */
async function serve(listener: RequestListener): Promise<{ port: number; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

function guardOf(options: Partial<UrlGuardOptions> & { readonly port: number }): UrlGuard {
  const { port, ...rest } = options;
  const guard = createUrlGuard({
    allow: [`http://a.example:${port}`, `http://b.example:${port}`],
    allowedNetworks: ['127.0.0.1'],
    lookup: async () => ['127.0.0.1'],
    ...rest,
  });
  onTestFinished(() => guard.close());
  return guard;
}

describe('the fetch of a URL guard', () => {
  it('returns the response of an allowed URL', async () => {
    const { port, seen } = await serve((_, response) => response.setHeader('x-a', 'b').end('hello'));
    const response = await guardOf({ port }).fetch(`http://a.example:${port}/x`, { method: 'POST', body: 'sent' });
    expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([200, 'b', 'hello']);
    expect(response.url).toBe(`http://a.example:${port}/x`);
    expect([seen[0]?.method, seen[0]?.headers.host]).toEqual(['POST', `a.example:${port}`]);
  });

  it('returns a response without a body', async () => {
    const { port } = await serve((_, response) => response.writeHead(204).end());
    expect((await guardOf({ port }).fetch(`http://a.example:${port}/`)).body).toBeNull();
  });

  it.each([
    ['one private address', ['10.0.0.1']],
    ['a private address behind a public one', ['93.184.216.34', '169.254.169.254']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['something that is no address', ['localhost']],
  ])('refuses a name with %s, and connects to none [S24]', async (_, addresses) => {
    const { port, seen } = await serve((_, response) => response.end());
    const guard = guardOf({ port, allowedNetworks: [], lookup: async () => addresses });
    const error: unknown = await guard.fetch(`http://a.example:${port}/`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'url-not-allowed', message: expect.stringContaining('a.example') });
    expect(String(error)).not.toContain('10.0.0.1');
    expect(seen).toEqual([]);
  });

  it('resolves a name once and connects to that address, so that a second answer changes nothing [S24]', async () => {
    const { port, seen } = await serve((_, response) => response.end('first'));
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let lookups = 0;
    const guard = guardOf({ port, lookup: async () => answers[lookups++] ?? [] });
    expect(await (await guard.fetch(`http://a.example:${port}/`)).text()).toBe('first');
    expect([lookups, seen.length]).toEqual([1, 1]);
    // Another origin needs a connection of its own, and thus the second answer.
    await expect(guard.fetch(`http://b.example:${port}/`)).rejects.toThrow(refused);
    expect([lookups, seen.length]).toEqual([2, 1]);
  });

  it('throws named errors for a host without an address and for a server that cannot be reached', async () => {
    const { port } = await serve((_, response) => response.destroy());
    const fetched = (options: Partial<UrlGuardOptions>) =>
      guardOf({ port, ...options }).fetch(`http://a.example:${port}/`);
    await expect(fetched({ lookup: async () => [] })).rejects.toMatchObject({ code: 'host-not-found' });
    await expect(fetched({})).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('a redirect', () => {
  const redirecting =
    (location: string, status = 302): RequestListener =>
    (request, response) => {
      if (request.url === '/') response.writeHead(status, { location }).end();
      else response.end(`${request.method} ${request.url}`);
    };

  it('to an allowed URL is followed, and carries no credentials to another origin [S24]', async () => {
    const { port, seen } = await serve((request, response) =>
      redirecting(`http://b.example:${port}/next`)(request, response),
    );
    const headers = { authorization: 'Bearer x', cookie: 'a=b', 'content-type': 'text/plain', 'x-a': 'b' };
    const response = await guardOf({ port }).fetch(`http://a.example:${port}/`, { method: 'POST', body: 'x', headers });
    expect([await response.text(), response.url]).toEqual(['GET /next', `http://b.example:${port}/next`]);
    expect(seen[1]?.headers).toMatchObject({ 'x-a': 'b' });
    for (const name of ['authorization', 'cookie', 'content-type']) expect(seen[1]?.headers[name]).toBeUndefined();
  });

  it('preserves method and body if the status requires it, and credentials within an origin', async () => {
    const { port, seen } = await serve(redirecting('/next', 307));
    const init = { method: 'PUT', body: 'x', headers: { authorization: 'Bearer x' } };
    expect(await (await guardOf({ port }).fetch(`http://a.example:${port}/`, init)).text()).toBe('PUT /next');
    expect(seen[1]?.headers.authorization).toBe('Bearer x');
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://evil.example/',
    'file:///etc/passwd',
    'http://',
    'http://c.example:1/',
  ])('to %s is not followed [S24]', async (location) => {
    const { port, seen } = await serve(redirecting(location));
    await expect(guardOf({ port }).fetch(`http://a.example:${port}/`)).rejects.toThrow(refused);
    expect(seen).toHaveLength(1);
  });

  it('is followed up to the limit, and not at all if the caller sets that', async () => {
    const { port, seen } = await serve((_, response) => response.writeHead(302, { location: '/' }).end());
    const guard = guardOf(withFixed({ port }, { maxRedirects: 2 }));
    await expect(guard.fetch(`http://a.example:${port}/`)).rejects.toMatchObject({ code: 'too-many-redirects' });
    expect(seen).toHaveLength(3);
    const error = guard.fetch(`http://a.example:${port}/`, { redirect: 'error' });
    const hint = expect.stringContaining("leave out redirect: 'error'");
    await expect(error).rejects.toMatchObject({ code: 'too-many-redirects', hint });
    expect((await guard.fetch(`http://a.example:${port}/`, { redirect: 'manual' })).status).toBe(302);
    expect(seen).toHaveLength(5);
  });
});

describe('a response', () => {
  const bomb = gzipSync(Buffer.alloc(5_000_000));

  it.each<[name: string, listener: RequestListener]>([
    [
      'that says it is too large',
      (_, response) => response.writeHead(200, { 'content-length': 2_000_000 }).flushHeaders(),
    ],
    ['that does not say it', (_, response) => void response.write(Buffer.alloc(1_500_000))],
    [
      'that is small until it is decompressed',
      (_, response) => response.setHeader('content-encoding', 'gzip').end(bomb),
    ],
  ])('%s ends at the limit [S24]', async (_, listener) => {
    const { port } = await serve(listener);
    const guard = guardOf({ port, maxResponseBytes: 1_000_000 });
    const reading = guard.fetch(`http://a.example:${port}/`).then((response) => response.arrayBuffer());
    await expect(reading).rejects.toMatchObject({ code: 'response-too-large' });
  });

  it.each<[name: string, listener: RequestListener]>([
    ['that does not begin', () => {}],
    ['that does not end', (_, response) => void response.write('x')],
  ])('%s fails after its time', async (_, listener) => {
    const { port } = await serve(listener);
    const reading = guardOf({ port, timeoutMs: 300 })
      .fetch(`http://a.example:${port}/`)
      .then((response) => response.text());
    await expect(reading).rejects.toMatchObject({ code: 'timeout' });
  });

  it('is cancelled by the signal of its caller, with the reason of the caller', async () => {
    const { port } = await serve(() => cancel.abort(new Error('not needed')));
    const cancel = new AbortController();
    const fetching = guardOf({ port }).fetch(`http://a.example:${port}/`, { signal: cancel.signal });
    await expect(fetching).rejects.toThrow('not needed');
  });
});
