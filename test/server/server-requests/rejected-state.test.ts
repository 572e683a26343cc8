/** A requestState that the server rejects fails the call; the user does not get the same elicitation twice. */
import { createServer, tool } from 'tenon';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { form } from '../../kit/server-request-modes.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

const elicitingServer = () =>
  createServer(
    {
      name: 's',
      version: '1',
      tools: {
        it: tool({}, async (_given, { elicit }) => {
          const one = await elicit('a', form('a'));
          const two = await elicit('b', form('b'));
          return `${one.action} ${two.action}`;
        }),
      },
    },
    { secrets: ['a secret for this test'], requestState: { ttlMs: 1000 } },
  );

describe('A call with elicitations', () => {
  it('fails as `invalid-request-state` when its state has expired, and does not start again', async () => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(0);
    onTestFinished(() => now.mockRestore());
    const requested: string[] = [];
    const { client, sent } = await connectRecorded(elicitingServer(), {
      protocolVersions: ['2026-07-28'],
      handlers: {
        elicitForm({ message }) {
          requested.push(message);
          if (requested.length === 2) now.mockReturnValue(2000);
          return { action: 'decline' };
        },
      },
    });
    await expect(client.tools.call('it', {}, { retryable: true })).rejects.toMatchObject({
      code: 'invalid-request-state',
      details: { method: 'tools/call' },
      cause: { reason: 'invalid-params' },
    });
    expect(requested).toHaveLength(2);
    expect(sent.filter(({ method }) => method === 'tools/call')).toHaveLength(3);
    await client.close();
  });

  it('fails with the error of another server that rejects its state', async () => {
    let calls = 0;
    const { client: connecting } = scriptedAt('2026-07-28', { tools: {} }, ({ id }, send) => {
      if (++calls === 1)
        return { resultType: 'input_required', requestState: 's', ttlMs: undefined, cacheScope: undefined };
      send({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Expired' } });
      return undefined;
    });
    const client = await connecting;
    await expect(client.tools.call('it')).rejects.toMatchObject({ name: 'RpcError', reason: 'invalid-params' });
    expect(calls).toBe(2);
    await client.close();
  });
});
