/** Tool annotations are untrusted: they do not change how a client calls the tools. */
import type { ProtocolVersion } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

const harmless = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };
const harmful = { readOnlyHint: false, idempotentHint: false, destructiveHint: true, openWorldHint: true };

/** The messages of a client that lists tools, calls one that fails, and one that never answers. */
async function sent(revision: ProtocolVersion, annotations: Json | undefined): Promise<Json[]> {
  const clock = createFakeClock();
  const hanging = deferred();
  const named = (name: string): Json => ({
    name,
    inputSchema: { type: 'object' },
    ...(annotations && { annotations }),
  });
  const { client, received, warnings } = scriptedAt(
    revision,
    { tools: {} },
    ({ method, params }) => {
      if (method === 'tools/list') return { tools: [named('fail'), named('hang')] };
      if ((params as Json).name === 'fail') return { content: [], isError: true };
      hanging.resolve();
      return undefined;
    },
    { ...withClock(clock), timeoutMs: 1000 },
  );
  const connected = await client;
  const { tools } = connected;
  await tools.list().all();
  expect((await tools.call('fail')).isError).toBe(true);
  const failure = tools.call('hang').catch((error) => error);
  await hanging.promise;
  clock.advance(1000);
  expect(await failure).toMatchObject({ code: 'timeout' });
  await connected.close();
  expect(warnings).toEqual([]);
  return received;
}

describe.each(protocolVersions)('annotations of tools at %s', (revision) => {
  it('do not change what a client sends [s-tools-09]', async () => {
    const plain = await sent(revision, undefined);
    expect(await sent(revision, harmless)).toEqual(plain);
    expect(await sent(revision, harmful)).toEqual(plain);
    expect(plain.filter(({ method }) => method === 'tools/call')).toHaveLength(2);
  });
});
