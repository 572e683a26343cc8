/** Through a gateway, clients of every protocol version see what they see at the server itself, in every lifecycle of both. */
import type { ProtocolVersion } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { exchangeVersion, isSince } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { openClient, served, startGateway, textOf } from './start.ts';
import { answering, newLedger, transcriptOf, upstreamServer } from './upstream-server.ts';

const upstreamVersions = [newestSession.id as ProtocolVersion, exchangeVersion];

const cases = (protocolVersions as readonly ProtocolVersion[]).flatMap((caller) =>
  upstreamVersions.flatMap((upstream) =>
    (['memory', 'HTTP'] as const).map((transport) => ({ caller, upstream, transport })),
  ),
);

describe.each(cases)('A client of $caller behind a gateway that speaks $upstream by $transport', (one) => {
  const protocolVersions = [one.caller];
  const start = async (ledger = newLedger()) => {
    const server = upstreamServer(ledger);
    const at = one.transport === 'HTTP' ? { url: await served(server) } : { server };
    const { gateway } = startGateway({ one: { ...at, protocolVersions: [one.upstream] } });
    return { target: one.transport === 'HTTP' ? await served(gateway.server) : gateway.server };
  };

  it('sees lists, results, errors, requests, progress and logs as at the server itself; each handler runs as often', async () => {
    const [here, there] = [newLedger(), newLedger()];
    const direct: unknown[] = [];
    const near = await openClient(upstreamServer(here), { protocolVersions, ...answering(direct, one.caller) });
    await transcriptOf(near, direct);
    const through: unknown[] = [];
    const { target } = await start(there);
    const far = await openClient(target, { protocolVersions, ...answering(through, one.caller) });
    expect(far.instructions).toBe(near.instructions);
    await transcriptOf(far, through);
    // Where nothing is asked by messages, nothing says that a page is complete.
    const isComplete = (event: unknown): boolean => (event as unknown[])[0] === 'complete';
    const hasCompletions = one.upstream !== exchangeVersion || one.caller === exchangeVersion;
    expect(through).toEqual(hasCompletions ? direct : direct.filter((event) => !isComplete(event)));
    // A handler in a session waits for its answers, and runs once.
    const runs = one.upstream === exchangeVersion ? [] : there.begun;
    expect(new Set(runs).size).toBe(runs.length);
  });

  it('cancels a call at the upstream', async () => {
    const ledger = newLedger();
    const { target } = await start(ledger);
    const client = await openClient(target, { protocolVersions });
    const controller = new AbortController();
    const call = client.tools.call('wait', {}, { signal: controller.signal });
    await withTimeout(ledger.waiting.promise, 'the call');
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await withTimeout(ledger.aborted.promise, 'the cancellation');
  });

  it('is refused what its client does not support, by name', async () => {
    const { target } = await start();
    const client = await openClient(target, { protocolVersions });
    const direct = await openClient(upstreamServer(), { protocolVersions });
    for (const name of ['think', 'roots', ...(isSince(one.caller, '2025-06-18') ? ['greet'] : [])]) {
      const refused = await client.tools.call(name).catch((error) => error);
      const expected = await direct.tools.call(name).catch((error) => error);
      expect({ name, code: refused.code, reason: refused.reason }).toEqual({
        name,
        code: expected.code,
        reason: expected.reason,
      });
    }
  });

  it('sends the upstream a digest of an idempotency key, and no key of its own', async () => {
    const { target } = await start();
    const client = await openClient(target, { protocolVersions });
    const idempotencyKey = 'a key of the caller';
    const text = textOf(await client.tools.call('key', {}, { idempotencyKey }));
    expect(text).toMatch(/^[\w-]{43}$/);
    expect(text).not.toContain(idempotencyKey);
  });
});
