/** Messages of a hostile server about an extension: they start a limited number of listeners, and no result of another type is read. */
import { connect, type TenonError } from 'tenon';
import { defineExtension, defineMethod, defineNotification, useExtension } from 'tenon/extensions';
import type { Transport } from 'tenon/transport';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';

const id = 'com.example/waving';
const waving = defineExtension(id, {
  methods: { wave: defineMethod('waving/wave', { params: z.object({}), result: z.object({}) }) },
  notifications: {
    waved: defineNotification('notifications/waving/waved', { from: 'server', params: z.object({ n: z.number() }) }),
  },
  availableInSessions: true,
});

type Json = Record<string, unknown>;

/** A client of a server that sends what the test says. */
async function connected(waved: () => void | Promise<void>) {
  let send = (_message: Json): void => {};
  const accept = (transport: Transport): void => {
    send = (message) => transport.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const answer = ({ id: of, method, params }: Json): void => {
      const { protocolVersion } = (params ?? {}) as Json;
      const capabilities = { extensions: { [id]: {} } };
      if (method === 'initialize')
        send({ id: of, result: { protocolVersion, capabilities, serverInfo: { name: 's', version: '1' } } });
      else if (of !== undefined) send({ id: of, result: { resultType: 'constructor' } });
    };
    transport.open({ onMessage: (text) => answer(JSON.parse(text) as Json), onClose() {} });
  };
  const warnings: TenonError[] = [];
  const client = await connect({ accept } as never, {
    protocolVersions: ['2025-11-25'],
    extensions: [useExtension(waving, { notifications: { waved } })],
    onWarning: (warning) => void warnings.push(warning),
  });
  onTestFinished(() => client.close());
  const wave = (n: number): void => send({ method: 'notifications/waving/waved', params: { n } });
  return { client, warnings, wave };
}

it('a flood of notifications runs as many listeners as are allowed [S24, S36]', async () => {
  const held = deferred();
  let running = 0;
  const { warnings, wave } = await connected(async () => {
    running++;
    await held.promise;
  });
  for (let n = 0; n < 250; n++) wave(n);
  await expect.poll(() => running + warnings.length).toBe(250);
  expect(running).toBe(100);
  expect(warnings[0]).toMatchObject({ code: 'queue-full' });
  held.resolve();
});

it('a result of a type that objects have by nature is not valid [S24, S36]', async () => {
  const { client } = await connected(() => {});
  const failed = client.request(waving.methods.wave, {});
  await expect(failed).rejects.toMatchObject({
    code: 'invalid-result',
    message: expect.stringContaining('unknown resultType constructor'),
  });
});
