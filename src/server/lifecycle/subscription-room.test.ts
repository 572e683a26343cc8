/** The room of subscriptions, and the shares of callers. */
import { describe, expect, it } from 'vitest';
import { SubscriptionRoom } from './subscription-room.ts';

const watching = (count: number) => ({ resourceSubscriptions: Array.from({ length: count }, (_, at) => `a://${at}`) });
const at = (address: string) => ({ address });
const named = (key: string) => ({ principal: { key }, address: '198.51.100.7' });

/** How many subscriptions a caller gets. */
function countFor(room: SubscriptionRoom, caller: Parameters<SubscriptionRoom['take']>[0]): number {
  let count = 0;
  while (count < 2000 && room.take(caller, {}) === undefined) count++;
  return count;
}

describe('the room of subscriptions', () => {
  it('is all for the only caller of a connection, also with a principal', () => {
    expect(countFor(new SubscriptionRoom(false), {})).toBe(1000);
    expect(countFor(new SubscriptionRoom(false), { principal: { key: 'ann' } })).toBe(1000);
  });

  it('is half for the first caller of an endpoint, and half of the rest for the next [S24]', () => {
    const room = new SubscriptionRoom(false);
    expect(countFor(room, at('203.0.113.1'))).toBe(500);
    expect(countFor(room, at('203.0.113.2'))).toBe(250);
  });

  it('is never taken from principals by callers without one, from however many addresses [S24]', () => {
    const room = new SubscriptionRoom(true);
    for (let n = 0; n < 200; n++) countFor(room, at(`203.0.113.${n}`));
    expect(countFor(room, named('ann'))).toBeGreaterThan(200);
  });

  it('is given at once or not at all, and again after it was released [S24]', () => {
    const room = new SubscriptionRoom(false);
    const caller = at('203.0.113.1');
    expect(room.take(caller, watching(5001))?.message).toMatch(/at most 10000 resources and tasks/);
    expect(countFor(room, caller)).toBe(500);
    room.release(caller, {});
    expect(room.take(caller, watching(5000))).toBeUndefined();
    room.release(caller, watching(5000));
    expect(room.take(caller, watching(4000))).toBeUndefined();
  });
});
