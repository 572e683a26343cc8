/** Nodes that share a store and a clock of the test; each can be paused, as by SIGSTOP, and woken, or stay so, as if it had died. */
import { setImmediate } from 'node:timers/promises';
import type { ServeHttpOptions } from 'tenon';
import { createMemoryStore, type MemoryStore, type Store } from 'tenon/store';
import { onTestFinished } from 'vitest';
import { createFakeClock } from '../../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../../kit/deferred.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { secrets } from './two-nodes.ts';

/** How long a node may be silent. */
export const deadNodeMs = 3000;

export interface MortalNode extends Served {
  /** What it does with the store, and what it receives, waits from now on. */
  pause(): void;
  wake(): void;
  /** Operations fail from now on, as without a connection to the store; `true` again: they work. */
  connected: boolean;
}

export interface MortalNodes {
  readonly store: MemoryStore;
  node(): Promise<MortalNode>;
  /** Lets time pass for all nodes and the store, a third of `deadNodeMs` at a time. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until a promise settles, several times `deadNodeMs` at most, and waits for it. */
  passUntil<T>(settled: Promise<T>): Promise<T>;
}

type More = Parameters<typeof serve>[2];

export function mortalNodes(options: ServeHttpOptions = {}, more: More = {}): MortalNodes {
  const clock = createFakeClock();
  const start = Date.now();
  const store = createMemoryStore({ now: () => start + clock.now() });

  /** Time passes by itself from the end of the test on: closing waits for some. */
  const passing = { timer: undefined as NodeJS.Timeout | undefined };
  onTestFinished(() => clearInterval(passing.timer));
  const passOn = (): void => {
    passing.timer ??= setInterval(() => clock.advance(100), 5);
  };

  async function node(): Promise<MortalNode> {
    const state = { connected: true };
    let woken: ReturnType<typeof deferred<void>> | undefined;
    const wake = (): void => {
      woken?.resolve();
      woken = undefined;
    };
    const held = seenThrough(store, async () => {
      await woken?.promise;
      if (!state.connected) throw new Error('There is no connection to the store.');
    });
    const timeouts = { deadNodeMs, ...options.timeouts };
    const served = await serve({ ...options, store: held, timeouts }, { secrets, ...withClock(clock) }, more);
    onTestFinished(() => {
      state.connected = true;
      wake();
      passOn();
    });
    return Object.assign(state, served, { wake, pause: () => void (woken ??= deferred()) });
  }

  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= deadNodeMs / 3) {
      clock.advance(Math.min(left, deadNodeMs / 3));
      for (let turn = 0; turn < 10; turn++) await setImmediate();
    }
  }

  async function passUntil<T>(settled: Promise<T>): Promise<T> {
    const isSettled = settled.then(
      () => true,
      () => true,
    );
    for (let n = 0; n < 20; n++) if (await Promise.race([isSettled, pass(deadNodeMs / 3)])) break;
    return settled;
  }

  return { store, node, pass, passUntil };
}

/** A store each of whose operations, and messages of its bus, wait for `ready`. */
function seenThrough(store: MemoryStore, ready: () => Promise<void>): Store {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(run: () => T | Promise<T>): Promise<T> => {
    const done = last.then(ready).then(run);
    last = done.catch(() => undefined);
    return done;
  };
  const part = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function' || name === 'deleteExpired') return value;
        return (...given: unknown[]) => inTurn(() => Reflect.apply(value, target, given) as unknown);
      },
    });
  const bus: Store['bus'] = {
    publish: async (...given) => inTurn(() => store.bus.publish(...given)),
    subscribe: (topic, onMessage, onMissed) =>
      store.bus.subscribe(topic, (text) => void inTurn(() => onMessage(text)).catch(() => undefined), onMissed),
  };
  return { ...store, sessions: part(store.sessions), events: part(store.events), nodes: part(store.nodes), bus };
}
