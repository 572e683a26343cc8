/** Floods of subscriptions at one endpoint: no caller can watch so much that others can watch nothing. */
import { describe, expect, it } from 'vitest';
import { lone } from '../../kit/http/messages.ts';
import { type OpenResponse, open } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';

const [attacker, user] = ['203.0.113.1', '198.51.100.7'];
const trustedProxies = ['127.0.0.1'];
const uris = (count: number): string[] => Array.from({ length: count }, (_, at) => `note://${at}`);

/** Opens a subscription as the client of an address. */
function listen(url: string, address: string, count: number): Promise<OpenResponse> {
  const { headers, body } = lone('subscriptions/listen', { notifications: { resourceSubscriptions: uris(count) } });
  return open(url, { headers: { ...headers, 'x-forwarded-for': address }, body });
}

describe('one caller over HTTP', () => {
  it('watches at most half of the 10000 resources, and others watch theirs [S24]', async () => {
    const { url } = await serve({ trustedProxies });
    const opened: OpenResponse[] = [];
    const statusOf = async (address: string, count: number): Promise<number> => {
      const stream = await listen(url, address, count);
      opened.push(stream);
      return stream.status;
    };
    expect(await statusOf(attacker, 10_000)).toBe(503);
    expect(await statusOf(attacker, 5000)).toBe(200);
    expect(await statusOf(attacker, 1)).toBe(503);
    expect(await statusOf(user, 1)).toBe(200);
    // What needs none of it is not refused.
    expect(await statusOf(attacker, 0)).toBe(200);
    for (const stream of opened) stream.cut();
  });

  it('gets what it watched again when its subscription has ended [S24]', async () => {
    const { url, server, stats } = await serve({ trustedProxies });
    const first = await listen(url, attacker, 5000);
    const second = await listen(url, user, 1);
    first.cut();
    await second.until(() => {
      server.sendResourceUpdated('note://0');
      return stats().streams === 1;
    }, 'the server to notice the disconnect');
    const again = await listen(url, attacker, 4000);
    expect(again.status).toBe(200);
    for (const stream of [second, again]) stream.cut();
  });
});
