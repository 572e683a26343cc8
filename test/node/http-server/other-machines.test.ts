/** Listening where other machines can connect: refused without authentication, warned of without TLS, unless set explicitly. */
import { type ServeHttpOptions, serveHttp } from 'tenon';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isLoopback } from '../../../src/node/http-server/address.ts';
import { sampleServer, serve } from '../../kit/http/sample-server.ts';

afterEach(() => void vi.restoreAllMocks());

const authenticate = () => 'https://issuer.example ada';

describe('a host that other machines can connect to', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'mcp.example.com'])(
    '%s is refused without authenticate, before anything listens [S21]',
    async (host) => {
      const refused = serveHttp(sampleServer().server, { host, port: 0 });
      await expect(refused).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining(`other machines can connect at host '${host}', and the option authenticate`),
        hint: 'Set authenticate. If everyone who can connect may use the server, set unprotected: true.',
      });
    },
  );

  it.each<[string, ServeHttpOptions]>([
    ['authenticate', { authenticate }],
    ['unprotected: true', { unprotected: true }],
  ])('is served with %s, with one warning that there is no TLS [S21]', async (_name, options) => {
    const { warnings } = await serve({ host: '0.0.0.0', ...options });
    expect(warnings).toMatchObject([
      {
        code: 'not-encrypted',
        hint: 'Set tls. If a proxy in front of the server has TLS, set behindProxy: true.',
        details: { host: '0.0.0.0' },
      },
    ]);
  });

  it('is served without a warning behind a proxy [S21]', async () => {
    const { warnings } = await serve({ host: '0.0.0.0', authenticate, behindProxy: true });
    expect(warnings).toEqual([]);
  });

  it('is refused behind a proxy whose clients an authorization server could not distinguish', async () => {
    const routes = { has: () => false, serve: () => {} };
    const options = {
      host: '0.0.0.0',
      authenticate: Object.assign(() => 'ada', { routes }),
      behindProxy: true,
    } as const;
    await expect(serveHttp(sampleServer().server, { ...options, port: 0 })).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { place: 'trustedProxies' },
    });
    for (const trustedProxies of [['10.0.0.0/8'], []]) {
      const { warnings } = await serve({ ...options, trustedProxies });
      expect(warnings).toEqual([]);
    }
  });

  it('is warned of on the console where no one listens to warnings', async () => {
    const printed = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const service = await serveHttp(sampleServer().server, { host: '0.0.0.0', port: 0, authenticate });
    await service.close();
    expect(printed.mock.calls).toEqual([[expect.stringMatching(/^tenon: .* set behindProxy: true\.$/)]]);
  });
});

it.each([undefined, 'localhost', '127.0.0.1', '127.0.0.2'])(
  '%s is loopback: served without a warning',
  async (host) => {
    const { warnings } = await serve(host === undefined ? {} : { host });
    expect(warnings).toEqual([]);
  },
);

it('loopback is localhost, 127.0.0.0/8 and ::1, however they are written', () => {
  for (const host of ['LocalHost', '127.255.0.9', '127.1', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])
    expect([host, isLoopback(host)]).toEqual([host, true]);
  for (const host of ['0.0.0.0', '::', '::2', '::ffff:10.0.0.1', '10.0.0.127', '127.evil.example', 'localhost.example'])
    expect([host, isLoopback(host)]).toEqual([host, false]);
});

it.each(['unprotected', 'behindProxy'])('%s must be true or false', async (name) => {
  const refused = serveHttp(sampleServer().server, { port: 0, [name]: 'yes' });
  await expect(refused).rejects.toMatchObject({ code: 'invalid-argument', details: { place: name } });
});
