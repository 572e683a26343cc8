import { describe, expect, it } from 'vitest';
import { createDeadlines } from '../../../../lib/time/deadlines.ts';
import { createFakeClock } from '../../../../lib/time/fake-clock.ts';
import type { Holding } from '../../../ports/fair-pool.ts';
import { ShareTable } from './caller-share.ts';
import { Gate } from './gate.ts';

const caller = (key: string | undefined, address?: string) => ({
  principal: key === undefined ? undefined : { key },
  address,
  header: () => undefined,
});
const open = (max: number, hasPrincipals = true) =>
  new Gate({
    maxCalls: max,
    maxSessions: max,
    maxBytes: max,
    queue: { maxCalls: 0, timeoutMs: 1000, deadlines: createDeadlines(createFakeClock()) },
    trustedProxies: undefined,
    hasPrincipals,
  });
/** A call that cannot wait. */
const call = { place: undefined, admitted() {} };

describe('a gate', () => {
  it('knows a caller by its principal, else by its address', () => {
    const gate = open(10);
    expect(gate.callerOf(caller('a', '192.0.2.1'))).toBe(gate.callerOf(caller('a', '192.0.2.2')));
    expect(gate.callerOf(caller(undefined, '192.0.2.1'))).toBe(gate.callerOf(caller(undefined, '192.0.2.1')));
    expect(gate.callerOf(caller('192.0.2.1'))).not.toBe(gate.callerOf(caller(undefined, '192.0.2.1')));
  });

  it('refuses a caller over its share with rate-limited, and everyone when it is full with overloaded', () => {
    const gate = open(3);
    const [a, b] = [gate.callerOf(caller('a')), gate.callerOf(caller('b'))];
    expect([a.takeCall(call), a.takeCall(call), a.takeCall(call)?.reason]).toEqual([
      undefined,
      undefined,
      'rate-limited',
    ]);
    expect([b.takeCall(call), b.takeCall(call)?.reason, a.takeCall(call)?.reason]).toEqual([
      undefined,
      'overloaded',
      'overloaded',
    ]);
    a.releaseCall(call);
    expect([gate.runningCalls, b.takeCall(call)?.reason]).toEqual([2, 'rate-limited']);
  });

  it('asks for unused sessions of the caller that holds too many, else of all, as long as there are some', () => {
    const gate = open(4);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => gate.callerOf(caller(name)));
    if (!a || !b || !c) return;
    const asked: Holding[] = [];
    let unused = [a, b];
    gate.join({
      evictUnused(callers) {
        asked.push(callers);
        const found = unused.find(({ sessions }) => sessions.isWithin(callers));
        unused = unused.filter((one) => one !== found);
        if (found !== undefined) gate.releaseSession(found);
        return found !== undefined;
      },
    });
    for (const one of [a, a, b]) expect(gate.takeSession(one)).toBeUndefined();
    expect([gate.takeSession(a), gate.openSessions]).toEqual([undefined, 3]);
    expect(gate.takeSession(a)?.reason).toBe('rate-limited');
    expect(asked).toEqual([a.sessions, a.sessions]);
    expect([gate.takeSession(c), gate.openSessions]).toEqual([undefined, 4]);
    const d = gate.callerOf(caller('d'));
    expect([gate.takeSession(d), gate.openSessions]).toEqual([undefined, 4]);
    expect(gate.takeSession(gate.callerOf(caller('e')))?.reason).toBe('overloaded');
    expect(b.sessions.count).toBe(0);
  });

  it('counts bytes by caller, and unused sessions make room for them', () => {
    const gate = open(100);
    const [a, b] = [gate.callerOf(caller('a')), gate.callerOf(caller('b'))];
    expect([a.takeBytes(50), a.takeBytes(1)?.reason]).toEqual([undefined, 'rate-limited']);
    expect([b.takeBytes(25), b.takeBytes(26)?.reason, a.isIdle]).toEqual([undefined, 'rate-limited', false]);
    const asked: Holding[] = [];
    gate.join({
      evictUnused(callers) {
        asked.push(callers);
        if (a.received.count > 0) a.releaseBytes(50);
        return asked.length === 1;
      },
    });
    expect([a.takeBytes(30), gate.callerOf(caller('c')).takeBytes(60)?.reason]).toEqual([undefined, 'overloaded']);
    expect(asked[0]).toBe(a.sessions);
    expect(asked).toHaveLength(2);
  });

  it('forgets callers that hold nothing, and none that holds something', () => {
    const gate = open(100_000);
    const table = new ShareTable();
    const held = gate.callerOf(caller('held'));
    held.takeCall(call);
    table.add('held', held);
    for (let at = 0; at < 10_000; at++) table.add(String(at), gate.callerOf(caller(String(at))));
    expect(table.size).toBeLessThanOrEqual(1024);
    expect(table.get('held')).toBe(held);
  });
});
