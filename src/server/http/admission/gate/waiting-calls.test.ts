import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RpcError } from '../../../../jsonrpc/errors.ts';
import { createDeadlines } from '../../../../lib/time/deadlines.ts';
import { createFakeClock } from '../../../../lib/time/fake-clock.ts';
import type { QueuedCall } from '../../../ports/call-slots.ts';
import type { CallerShare } from './caller-share.ts';
import { Gate } from './gate.ts';

/** What became of a call. */
type Fate = 'waits' | 'runs' | 'left' | string;

class Call implements QueuedCall {
  place: QueuedCall['place'] = undefined;
  fate: Fate = 'waits';
  readonly #caller: CallerShare;
  readonly #begun: (() => void) | undefined;

  constructor(caller: CallerShare, begun?: () => void) {
    this.#caller = caller;
    this.#begun = begun;
    const refused = caller.takeCall(this);
    if (refused !== undefined || this.place === undefined) this.admitted(refused);
  }

  admitted(refused: RpcError | undefined): void {
    this.fate = refused?.reason ?? 'runs';
    if (refused === undefined) this.#begun?.();
    else if (this.place !== undefined) this.#caller.releaseCall(this);
  }

  /** Its handler has returned, or its client has disconnected while it waited. */
  end(): void {
    if (this.fate === 'waits') this.fate = 'left';
    this.#caller.releaseCall(this);
  }
}

function open({ slots = 4, places = 100, hasPrincipals = true } = {}) {
  const clock = createFakeClock();
  const queue = { maxCalls: places, timeoutMs: 5000, deadlines: createDeadlines(clock) };
  const gate = new Gate({
    maxCalls: slots,
    maxSessions: 9,
    maxBytes: 9,
    queue,
    trustedProxies: undefined,
    hasPrincipals,
  });
  const caller = (key: string | undefined, address?: string) =>
    gate.callerOf({ principal: key === undefined ? undefined : { key }, address, header: () => undefined });
  return { clock, gate, caller };
}

const turn = (): Promise<void> => Promise.resolve();

describe('calls that wait for a slot', () => {
  it('of a caller that floods delay those of another by no more than their share [S24]', async () => {
    const { caller } = open({ slots: 4, places: 10_000 });
    const order: string[] = [];
    const running: Call[] = [];
    const start = (key: string): Call => {
      const call: Call = new Call(caller(key), () => {
        order.push(key);
        queueMicrotask(() => running.push(call));
      });
      return call;
    };
    const flood = Array.from({ length: 2000 }, () => start('eve'));
    await turn();
    // Eve holds half of the slots; the rest is free for others, at once.
    expect(order).toEqual(['eve', 'eve']);
    for (let at = 0; at < 20; at++) start('ada');
    for (let at = 0; at < 20; at++) start('bob');
    order.length = 0;
    for (let ended = 0; ended < 60; ended++) {
      running.shift()?.end();
      await turn();
      await turn();
    }
    const count = (key: string) => order.filter((one) => one === key).length;
    // While all three wait, each gets a third of the slots that become free.
    const first = order.slice(0, 48);
    const shares = ['ada', 'bob', 'eve'].map((key) => first.filter((one) => one === key).length);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(15);
    expect([count('ada'), count('bob')]).toEqual([19, 19]);
    expect(flood.filter(({ fate }) => fate === 'waits').length).toBeGreaterThan(1900);
  });

  it('get a free slot in the order of their turns, not of their arrival', async () => {
    const { caller } = open({ slots: 1 });
    const busy = new Call(caller('x'));
    const order: string[] = [];
    const calls: Call[] = [];
    for (const key of ['eve', 'eve', 'eve', 'ada', 'bob', 'ada'])
      calls.push(new Call(caller(key), () => order.push(key)));
    busy.end();
    for (let at = 0; at < 6; at++) {
      await turn();
      calls.find(({ fate }) => fate === 'runs')?.end();
      const ended = calls.findIndex(({ fate }) => fate === 'runs');
      calls.splice(ended, 1);
    }
    expect(order).toEqual(['eve', 'ada', 'bob', 'eve', 'ada', 'eve']);
  });

  it('are refused after their time: 503 if all slots are taken, 429 if only the caller has too many', async () => {
    const { clock, caller, gate } = open({ slots: 4 });
    const held = [new Call(caller('eve')), new Call(caller('eve'))];
    const late = new Call(caller('eve'));
    expect([late.fate, gate.waitingCalls]).toEqual(['waits', 1]);
    clock.advance(5000);
    expect([late.fate, gate.waitingCalls, gate.runningCalls]).toEqual(['rate-limited', 0, 2]);
    const others = ['a', 'b', 'c'].map((key) => new Call(caller(key)));
    clock.advance(5000);
    expect(others.map(({ fate }) => fate)).toEqual(['runs', 'runs', 'overloaded']);
    for (const call of [...held, ...others.slice(0, 2)]) call.end();
    expect([gate.runningCalls, gate.waitingCalls, clock.pending]).toEqual([0, 0, expect.any(Number)]);
  });

  it('have a place only while there is one, and no caller takes the places of all others', () => {
    const { caller, gate } = open({ slots: 2, places: 10 });
    const fates = (key: string, times: number) =>
      Array.from({ length: times }, () => new Call(caller(key)).fate).filter((fate) => fate === 'waits').length;
    expect([fates('eve', 50), fates('mallory', 50), fates('ada', 50)]).toEqual([5, 3, 1]);
    expect(gate.waitingCalls).toBe(9);
    expect(new Call(caller('bob')).fate).toBe('waits');
  });

  it('leave the queue when their client disconnects, and free no slot by it', async () => {
    const { clock, caller, gate } = open({ slots: 1 });
    const busy = new Call(caller('x'));
    const [first, second] = [new Call(caller('a')), new Call(caller('b'))];
    first.end();
    expect([gate.runningCalls, gate.waitingCalls]).toEqual([1, 1]);
    busy.end();
    await turn();
    expect([first.fate, second.fate, gate.runningCalls, gate.waitingCalls]).toEqual(['left', 'runs', 1, 0]);
    clock.advance(10_000);
    expect(second.fate).toBe('runs');
  });

  it('are not overtaken by a call that arrives when a slot is about to be given', async () => {
    const { caller } = open({ slots: 1 });
    const busy = new Call(caller('x'));
    const first = new Call(caller('a'));
    busy.end();
    const second = new Call(caller('b'));
    await turn();
    expect([first.fate, second.fate]).toEqual(['runs', 'waits']);
  });

  it('without a principal share the turns of one principal', () => {
    const { caller, gate } = open({ slots: 2, places: 10 });
    const calls = [new Call(caller('x'))];
    for (let at = 0; at < 50; at++) calls.push(new Call(caller(undefined, `203.0.113.${at}`)));
    expect(gate.waitingCalls).toBeLessThanOrEqual(5);
    expect(new Call(caller('ada')).fate).toBe('waits');
  });

  it('that end at once do not pile up on the stack', async () => {
    const { caller, gate } = open({ slots: 1, places: 100_000 });
    const busy = new Call(caller('x'));
    let served = 0;
    for (let at = 0; at < 40_000; at++) {
      const call: Call = new Call(caller(`c${at % 2}`), () => {
        served++;
        call.end();
      });
    }
    const waiting = gate.waitingCalls;
    busy.end();
    while (gate.waitingCalls > 0) await turn();
    expect([served, gate.runningCalls]).toEqual([waiting, 0]);
  });

  it('and those that run never exceed their limits, whatever arrives, ends, leaves or expires', async () => {
    const steps = array(record({ caller: nat(4), kind: constantFrom('begin', 'begin', 'end', 'leave', 'wait') }), {
      maxLength: 120,
    });
    await assert(
      asyncProperty(integer({ min: 1, max: 6 }), integer({ min: 0, max: 8 }), steps, async (slots, places, given) => {
        const { clock, gate, caller } = open({ slots, places });
        const calls: Call[] = [];
        const some = (fate: Fate) => calls.find((one) => one.fate === fate);
        for (const { caller: at, kind } of given) {
          const key = `c${at}`;
          if (kind === 'begin') calls.push(new Call(caller(key)));
          else if (kind === 'wait') clock.advance(2500);
          else {
            const found = some(kind === 'end' ? 'runs' : 'waits');
            found?.end();
            if (found?.fate === 'runs') found.fate = 'ended';
          }
          await turn();
          const count = (fate: Fate) => calls.filter((one) => one.fate === fate).length;
          expect([gate.runningCalls, gate.waitingCalls]).toEqual([count('runs'), count('waits')]);
          expect(gate.runningCalls).toBeLessThanOrEqual(slots);
          expect(gate.waitingCalls).toBeLessThanOrEqual(places);
        }
      }),
      { seed: 19, numRuns: 200 },
    );
  });
});
