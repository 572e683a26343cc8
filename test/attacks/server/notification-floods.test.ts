/** A flood of notifications of an extension: a client starts a limited number of handlers, and gets no others later. */
import { createServer, TenonError } from 'tenon';
import { defineExtension, defineNotification, serveExtension } from 'tenon/extensions';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { openRaw, request } from '../../kit/transport/raw-connection.ts';

const waving = defineExtension('com.example/waving', {
  notifications: {
    waved: defineNotification('notifications/waving/waved', { from: 'client', params: z.object({ n: z.number() }) }),
  },
  availableInSessions: true,
});

it('runs as many handlers as are allowed, and reports what is dropped [S24, S36]', async () => {
  const held = deferred();
  const [handled, errors]: [number[], unknown[]] = [[], []];
  const server = createServer(
    {
      name: 's',
      version: '1',
      extensions: [
        serveExtension(waving, {
          methods: {},
          notifications: {
            async waved({ n }) {
              handled.push(n);
              await held.promise;
            },
          },
        }),
      ],
    },
    { onError: (error) => errors.push(error) },
  );
  const client = openRaw(server);
  const capabilities = { extensions: { 'com.example/waving': {} } };
  const clientInfo = { name: 'c', version: '1' };
  client.send(request('hello', 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo }));
  await client.next();
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const wave = (n: number): void =>
    client.send({ jsonrpc: '2.0', method: 'notifications/waving/waved', params: { n } });
  for (let n = 0; n < 250; n++) wave(n);
  await client.settled();
  expect(handled).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(errors).toHaveLength(150);
  expect(errors[0]).toBeInstanceOf(TenonError);
  expect(errors[0]).toMatchObject({ code: 'queue-full' });
  held.resolve();
  await client.settled();
  wave(1000);
  await expect.poll(() => handled.at(-1)).toBe(1000);
});
