/** A reload of a gateway: what stays the same stays connected, and no call is dropped. */
import { createServer, type ProtocolVersion, type Server, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { openClient, startGateway, textOf, upstreamPer } from './start.ts';
import { newLedger, upstreamServer } from './upstream-server.ts';

const sessions = [newestSession.id as ProtocolVersion];

const numbered = (connection: number): Server =>
  createServer({ name: 'n', version: '1', tools: { number: tool({}, () => String(connection)) } }) as Server;

describe('A reload', () => {
  it('names what was added, removed, changed and left; what is left stays connected', async () => {
    const [kept, changed, removed, added] = [0, 1, 2, 3].map(() => upstreamPer(numbered));
    const { gateway } = startGateway({ kept: kept!.options, changed: changed!.options, removed: removed!.options });
    const client = await openClient(gateway.server);
    for (const name of ['kept', 'changed', 'removed']) await client.tools.call(`${name}__number`);
    const reloaded = await gateway.reload({
      upstreams: { kept: kept!.options, changed: { ...changed!.options, hide: ['x'] }, added: added!.options },
    });
    expect(reloaded).toEqual({ added: ['added'], removed: ['removed'], changed: ['changed'], unchanged: ['kept'] });
    const names = (await client.tools.list().all()).map(({ name }) => name);
    expect(names).toEqual(['kept__number', 'changed__number', 'added__number']);
    for (const name of names) await client.tools.call(name);
    expect([kept, changed, removed, added].map((one) => one?.opened())).toEqual([1, 2, 1, 1]);
    expect(gateway.status().upstreams.changed?.generation).toBe(2);
  });

  it('that is not valid is refused, and changes nothing', async () => {
    const kept = upstreamPer(numbered);
    const { gateway } = startGateway({ kept: kept.options });
    await expect(gateway.reload({ upstreams: { kept: {} } })).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(gateway.status().upstreams.kept?.generation).toBe(1);
  });

  it('lets a call end at the connection that it runs on', async () => {
    const ledger = newLedger();
    const upstream = { server: upstreamServer(ledger), protocolVersions: sessions };
    const { gateway } = startGateway({ one: upstream });
    const client = await openClient(gateway.server);
    const controller = new AbortController();
    const call = client.tools.call('wait', {}, { signal: controller.signal });
    await withTimeout(ledger.waiting.promise, 'the call');
    await gateway.reload({ upstreams: { one: { ...upstream, hide: ['fail'] } } });
    expect(gateway.status().upstreams.one?.connections).toBeGreaterThan(0);
    expect(textOf(await client.tools.call('echo', { text: 'new' }))).toBe('new');
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await withTimeout(ledger.aborted.promise, 'the cancellation');
  });

  it('lets a call continue that waits for an answer of its caller', async () => {
    const ledger = newLedger();
    const upstream = { server: upstreamServer(ledger), protocolVersions: sessions };
    const { gateway } = startGateway({ one: upstream });
    const handlers = { elicitForm: () => ({ action: 'cancel' as const }) };
    const client = await openClient(gateway.server, { protocolVersions: [exchangeVersion], handlers });
    const call = { name: 'greet', arguments: {} };
    let outcome = await client.round('tools/call', call);
    for (let round = 0; outcome.resultType === 'input_required'; round++) {
      expect(gateway.status().upstreams.one?.parked).toBe(1);
      if (round === 0) await gateway.reload({ upstreams: { one: { ...upstream, hide: ['fail'] } } });
      const answers = Object.fromEntries(
        Object.keys(outcome.inputRequests).map((key) => [key, { action: 'accept', content: { name: `n${round}` } }]),
      );
      const { state } = outcome;
      outcome = await client.round('tools/call', call, { round: { answers, ...(state !== undefined && { state }) } });
    }
    expect(JSON.stringify(outcome)).toContain('n1');
    expect(ledger.begun).toEqual(['greet']);
  });

  it('notifies sessions that their lists have changed', async () => {
    const upstream = upstreamPer(numbered);
    const { gateway } = startGateway({ one: upstream.options });
    const client = await openClient(gateway.server, { protocolVersions: sessions });
    const lists: string[][] = [];
    const changed = new Promise<void>((resolve) => {
      void client.tools.watchList((tools) => {
        lists.push(tools.map(({ name }) => name));
        if (lists.length === 2) resolve();
      });
    });
    await expect.poll(() => lists.length).toBe(1);
    await gateway.reload({ upstreams: { one: { ...upstream.options, prefix: 'p' } } });
    await withTimeout(changed, 'the changed list');
    expect(lists).toEqual([['number'], ['p__number']]);
  });
});

it('A change of the lists of an upstream reaches the sessions that have them', async () => {
  const server = createServer({
    name: 'n',
    version: '1',
    tools: { one: tool({ inputSchema: z.object({}) }, () => '1') },
  }) as Server;
  const { gateway } = startGateway({ one: { server } });
  for (const version of [...sessions, exchangeVersion]) {
    const client = await openClient(gateway.server, { protocolVersions: [version] });
    const before = (await client.tools.list().all()).length;
    const subscription = await client.subscribe({ toolsListChanged: true });
    server.update((draft) => {
      draft.tools[`more-${version}`] = tool({}, () => 'more');
    });
    for await (const change of subscription) {
      expect(change).toEqual({ type: 'tools' });
      break;
    }
    expect((await client.tools.list().all()).length).toBe(before + 1);
  }
});

it('An update of a resource reaches the callers that have subscribed to it, under its URI for them', async () => {
  const create = () => upstreamServer();
  const [one, two] = [create(), create()];
  for (const upstreamVersion of [...sessions, exchangeVersion]) {
    const protocolVersions = [upstreamVersion];
    const { gateway } = startGateway({
      one: { server: one, protocolVersions },
      two: { server: two, protocolVersions },
    });
    for (const version of [...sessions, exchangeVersion]) {
      const client = await openClient(gateway.server, { protocolVersions: [version] });
      const uri = 'via:one/notes://one';
      const subscription = await client.subscribe({ resourceSubscriptions: [uri] });
      expect(subscription.acknowledged.resourceSubscriptions).toEqual([uri]);
      two.sendResourceUpdated('notes://one');
      one.sendResourceUpdated('notes://one');
      for await (const change of subscription) {
        expect(change).toEqual({ type: 'resource', uri });
        break;
      }
    }
  }
});
