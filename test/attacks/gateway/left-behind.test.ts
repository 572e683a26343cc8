/** What a caller leaves behind at a gateway: no connection to an upstream stays open, or in use, for a caller that is gone. */
import { expect, it } from 'vitest';
import { RequiredAccounts } from '../../../src/gateway/calls/required-accounts.ts';
import { TenonError } from '../../../src/lib/errors/tenon-error.ts';
import { newestSession } from '../../../src/protocol/revisions/revisions.ts';
import { openAs, openClient, served, startGateway, textOf } from '../../gateway/start.ts';
import { answer } from '../../kit/transport/scripted-server.ts';
import { rawUpstream, sessionVersion, unknown } from './raw-upstream.ts';

const protocolVersions = [sessionVersion];
const subscribable = { resources: { subscribe: true } };

it('a subscription that the upstream accepts after the session has ended is taken back', async () => {
  const accepts: (() => void)[] = [];
  const ended: unknown[] = [];
  const upstream = rawUpstream(subscribable, (message, send) => {
    if (message.method === 'resources/subscribe') accepts.push(() => send(answer(message, {})));
    else if (message.method === 'resources/unsubscribe') {
      ended.push(message.params);
      send(answer(message, {}));
    } else unknown(message, send);
  });
  const { gateway } = startGateway({ one: { ...upstream.options, limits: { idleMs: 50 } } });
  const client = await openAs('ada', await served(gateway.server), { protocolVersions });
  const subscribed = client.subscribe({ resourceSubscriptions: ['a://b'] }).catch(() => 'closed');
  await expect.poll(() => accepts.length).toBe(1);
  await client.close();
  await subscribed;
  for (const accept of accepts) accept();
  await expect.poll(() => ended).toEqual([{ uri: 'a://b' }]);
  await expect.poll(() => gateway.status().upstreams.one?.connections).toBe(0);
});

it('sessions with subscriptions have no more connections than others', async () => {
  const upstream = rawUpstream(
    subscribable,
    (message, send) => (message.method === 'resources/subscribe' ? send(answer(message, {})) : unknown(message, send)),
    { limits: { maxConnections: 4, queueMs: 1 } },
  );
  const { gateway } = startGateway({ one: upstream.options });
  const outcomes: unknown[] = [];
  for (let n = 0; n < 6; n++) {
    const client = await openClient(gateway.server, { protocolVersions });
    const error = await client.subscribe({ resourceSubscriptions: ['a://b'] }).then(
      () => undefined,
      ({ reason, code }) => reason ?? code,
    );
    outcomes.push(error);
  }
  expect(upstream.counts.open).toBeLessThanOrEqual(4);
  expect(outcomes.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  expect(outcomes.slice(4)).not.toContain(undefined);
});

it('an upstream that refuses the level of log messages carries out calls, and its connection is free again', async () => {
  const upstream = rawUpstream({ tools: {}, logging: {} }, unknown, { limits: { idleMs: 50 } });
  const { gateway } = startGateway({ one: upstream.options });
  const client = await openAs('ada', await served(gateway.server), { protocolVersions });
  await client.setLogLevel('debug');
  expect(textOf(await client.tools.call('work'))).toBe('done');
  await expect.poll(() => gateway.status().upstreams.one?.connections).toBe(0);
});

it('sessions one after the other, far more than connections, all have one', async () => {
  const upstream = rawUpstream({ tools: {} }, unknown, { limits: { maxConnections: 2, queueMs: 1 } });
  const { gateway } = startGateway({ one: upstream.options });
  for (let n = 0; n < 20; n++) {
    const client = await openClient(gateway.server, { protocolVersions });
    expect(textOf(await client.tools.call('work'))).toBe('done');
    await client.close();
  }
  expect(upstream.counts.opened).toBe(20);
  await expect.poll(() => upstream.counts.open).toBe(0);
});

it('a call whose session has ended meanwhile waits for no account: nothing would end that [S24, S36]', () => {
  const accounts = new RequiredAccounts();
  let waiting = 0;
  const onConnected = () => {
    waiting++;
    return () => void waiting--;
  };
  const details = { upstream: 'one', client: '', connectUrl: 'https://gateway.example/connect', onConnected };
  const error = new TenonError('sign-in-required', 'Connect your account first.', { details });
  const session = { isEnded: false, changed() {} };
  const capabilities = { elicitation: { url: {} } };
  const caller = { connectionKey: 'ended', caller: { session, revision: newestSession, capabilities } } as never;
  expect(accounts.errorFor(caller, error)).toMatchObject({ reason: 'url-elicitation-required' });
  accounts.ended('ended');
  session.isEnded = true;
  expect(accounts.errorFor(caller, error)).toBeUndefined();
  expect(waiting).toBe(0);
});
