/** Custom methods with a list of params and a result of any type, as founding documents 001 and 003 allow them. */
import { connect, createServer, type ProtocolVersion } from 'tenon';
import { defineMethod, defineNotification, defineVendorMethods, serveExtension, useExtension } from 'tenon/extensions';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { openAt, request } from '../kit/transport/raw-connection.ts';
import { connectRecorded } from '../kit/transport/recorded-connection.ts';

const any = z.union([
  z.null(),
  z.boolean(),
  z.number(),
  z.string(),
  z.array(z.number()),
  z.object({ value: z.number() }),
]);
const maths = defineVendorMethods({
  methods: {
    sum: defineMethod('maths/sum', { params: z.array(z.number()), result: z.number() }),
    echo: defineMethod('maths/echo', { params: z.tuple([any]), result: any }),
  },
  notifications: {
    counted: defineNotification('notifications/maths/counted', { from: 'server', params: z.array(z.number()) }),
    noted: defineNotification('notifications/maths/noted', { from: 'client', params: z.array(z.string()) }),
  },
});
const { sum, echo } = maths.methods;

const serverOf = (noted: (texts: string[]) => void = () => {}) =>
  createServer(
    {
      name: 's',
      version: '1',
      extensions: [
        serveExtension(maths, {
          methods: {
            sum(numbers, ctx) {
              ctx.notify(maths.notifications.counted, [numbers.length]);
              return numbers.reduce((total, number) => total + number, 0);
            },
            echo: ([value]) => value,
          },
          notifications: { noted },
        }),
      ],
    },
    { onError: () => {} },
  );

describe.each(protocolVersions)('a custom method at %s', (version: ProtocolVersion) => {
  it('takes a list of params and returns a number [S01]', async () => {
    await using client = await connect(serverOf(), { protocolVersions: [version], extensions: [maths] });
    const total = await client.request(sum, [1, 2, 3]);
    expectTypeOf(total).toEqualTypeOf<number>();
    expect(total).toBe(6);
  });

  it.each([null, false, 0, '', 'text', [1, 2], { value: 7 }].map((value) => [value]))(
    'returns %j as it is [S01]',
    async (value) => {
      await using client = await connect(serverOf(), { protocolVersions: [version], extensions: [maths] });
      expect(await client.request(echo, [value])).toEqual(value);
    },
  );

  it('notifies with a list of params [S01]', async () => {
    const counted: number[][] = [];
    const used = useExtension(maths, { notifications: { counted: (numbers) => void counted.push(numbers) } });
    await using client = await connect(serverOf(), { protocolVersions: [version], extensions: [used] });
    await client.request(sum, [4, 5]);
    expect(counted).toEqual([[2]]);
  });

  it('refuses params that do not match, before they are sent [S01]', async () => {
    const { client, sent } = await connectRecorded(serverOf(), { protocolVersions: [version], extensions: [maths] });
    const before = sent.length;
    const wrong = [['a'], 3, 'text'] as unknown as number[][];
    for (const params of wrong)
      await expect(client.request(sum, params)).rejects.toMatchObject({ code: 'invalid-outgoing-message' });
    expect(sent).toHaveLength(before);
    await client.close();
  });
});

describe('a custom method on the wire', () => {
  it('has its list and its number in the message of a session [S01]', async () => {
    const { client, sent, received } = await connectRecorded(serverOf(), {
      protocolVersions: ['2025-06-18'],
      extensions: [maths],
    });
    await client.request(sum, [1, 2]);
    expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: expect.any(Number), method: 'maths/sum', params: [1, 2] });
    expect(received.at(-2)).toEqual({ jsonrpc: '2.0', method: 'notifications/maths/counted', params: [2] });
    expect(received.at(-1)).toEqual({ jsonrpc: '2.0', id: expect.any(Number), result: 3 });
    await client.close();
  });

  it('has them as the field `value` where every message must be an object [S01]', async () => {
    const { client, sent, received } = await connectRecorded(serverOf(), {
      protocolVersions: ['2026-07-28'],
      extensions: [maths],
    });
    await client.request(sum, [1, 2]);
    const meta = { 'dev.tenon/plain-value': true };
    expect(sent.at(-1)).toMatchObject({ params: { value: [1, 2], _meta: meta } });
    expect(received.at(-1)).toMatchObject({ result: { resultType: 'complete', value: 3, _meta: meta } });
    await client.close();
  });

  it('of the specification still needs an object [S01]', async () => {
    const { send, next } = await openAt(serverOf(), '2025-06-18');
    send(request(7, 'tools/list', [1]));
    expect(await next()).toMatchObject({ id: 7, error: { code: -32602 } });
    send(request(8, 'maths/sum', { numbers: 1 }));
    expect(await next()).toMatchObject({ id: 8, error: { code: -32602 } });
  });

  it('receives a list in a notification of a client [S01]', async () => {
    const noted: string[][] = [];
    await using client = await connect(
      serverOf((texts) => void noted.push(texts)),
      { protocolVersions: ['2025-06-18'], extensions: [maths] },
    );
    client.notify(maths.notifications.noted, ['a', 'b']);
    await client.request(sum, []);
    expect(noted).toEqual([['a', 'b']]);
  });
});
