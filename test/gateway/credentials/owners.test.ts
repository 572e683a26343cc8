/** Connections with credentials of their owner are of one user and one client; others are of the user alone. */
import { serveHttp } from 'tenon';
import { bearerToken } from 'tenon/auth';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectionOwner, Share, UpstreamOptions } from '../../../src/gateway/types.ts';
import { clientOf, upstreamAt } from '../command/serving.ts';
import { startGateway } from '../start.ts';

/** Callers are `Bearer SUBJECT CLIENT SCOPE`. */
async function opened(auth: UpstreamOptions['auth'], share: Share = 'principal') {
  const upstream = await upstreamAt('one');
  const { gateway } = startGateway({ one: { url: upstream.url, prefix: 'one', share, ...(auth && { auth }) } });
  const service = await serveHttp(gateway.server, {
    port: 0,
    authenticate: ({ header }) => {
      const [, subject = '', client = '', scope = ''] = (header('authorization') ?? '').split(' ');
      return { issuer: 'https://id.example', subject, client, scopes: [scope] };
    },
  });
  onTestFinished(() => service.close());
  const call = async (caller: string): Promise<unknown> => {
    const client = await clientOf({ url: service.url, headers: { authorization: `Bearer ${caller}` } });
    return client.tools.call('one__echo', {});
  };
  const connections = (): unknown[] =>
    gateway.connections().map(({ principal }) => [principal?.subject, principal?.client]);
  return { gateway, call, connections };
}

describe('Where auth is a function', () => {
  it('each client of a user has a connection, and one for each set of scopes of its tokens', async () => {
    const owners: ConnectionOwner[] = [];
    const { call, connections } = await opened((owner) => {
      owners.push(owner);
      return bearerToken('token');
    });
    await call('ada editor first');
    await call('ada other first');
    await call('ada editor second');
    expect(connections()).toEqual(
      expect.arrayContaining([
        ['ada', 'editor'],
        ['ada', 'other'],
      ]),
    );
    expect(owners.map(({ principal }) => [principal?.client, principal?.scopes])).toEqual([
      ['editor', ['first']],
      ['other', ['first']],
      ['editor', ['second']],
    ]);
  });

  it('all callers together have one with share: all, which has no principal', async () => {
    const owners: ConnectionOwner[] = [];
    const { call } = await opened((owner) => {
      owners.push(owner);
      return bearerToken('token');
    }, 'all');
    await call('ada editor first');
    await call('grace other first');
    expect(owners.map(({ principal }) => principal)).toEqual([undefined]);
  });

  it('revoke() closes those of one client, or of one upstream, or all of the principal', async () => {
    const { gateway, call, connections } = await opened(() => bearerToken('token'));
    await call('ada editor x');
    await call('ada other x');
    await call('grace editor x');
    const ada = JSON.stringify(['https://id.example', 'ada']);
    await gateway.revoke(ada, { upstream: 'unknown' });
    expect(connections()).toHaveLength(3);
    await gateway.revoke(ada, { upstream: 'one', client: 'other' });
    expect(connections()).toEqual(
      expect.arrayContaining([
        ['ada', 'editor'],
        ['grace', 'editor'],
      ]),
    );
    expect(connections()).toHaveLength(2);
    await gateway.revoke(ada);
    expect(connections()).toEqual([['grace', 'editor']]);
  });
});

it('where the credentials are the same for all, clients of a user share a connection', async () => {
  const { call, connections } = await opened(undefined);
  await call('ada editor x');
  await call('ada other x');
  expect(connections()).toHaveLength(1);
});
