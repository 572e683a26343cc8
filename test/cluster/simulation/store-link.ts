/** The connection of one node to the shared store: delays and faults, in the order of the calls. */
import { TenonError } from 'tenon';
import type { MessageBus, Store } from 'tenon/store';
import { happens, type World } from './faults.ts';
import type { NodeLife } from './node-life.ts';
import type { PlantedFault } from './planted-faults.ts';
import { now, wait } from './virtual-time.ts';

type Operation = (...given: unknown[]) => unknown;
type Part = Readonly<Record<string, unknown>>;

/** Sees an operation that took effect, with what the store answered. */
export type Observer = (node: string, operation: string, given: readonly unknown[], answer: unknown) => void;

/** Messages on these topics are hints: they may be lost without a signal. */
const hints: ReadonlySet<string> = new Set(['tenon/tasks']);

/** One node's view of a store. The connection is lost and comes back for all parts together. */
export class StoreLink {
  readonly store: Store;
  readonly #world: World;
  readonly #life: NodeLife;
  readonly #planted: PlantedFault | undefined;
  readonly #observe: Observer | undefined;
  /** Operations take effect, and answers and messages arrive, in the order in which they were sent. */
  readonly #effects = new Ordered();
  readonly #answers = new Ordered();
  readonly #messages = new Ordered();
  #isDown = false;
  readonly #missed = new Set<() => void>();

  constructor(
    shared: Store,
    life: NodeLife,
    world: World,
    { planted, observe }: { readonly planted?: PlantedFault | undefined; readonly observe?: Observer },
  ) {
    this.#life = life;
    this.#world = world;
    this.#planted = planted;
    this.#observe = observe;
    const part = (name: string, value: unknown): unknown => {
      if (name === 'bus') return this.#bus(value as MessageBus);
      return typeof value === 'object' && value !== null ? this.#part(name, value as Part) : value;
    };
    this.store = Object.fromEntries(
      Object.entries(shared).map(([name, value]) => [name, part(name, value)]),
    ) as unknown as Store;
  }

  /** Every operation fails until `connect`, and messages are lost. */
  disconnect(): void {
    this.#isDown = true;
    this.#report('store', 'disconnected');
  }

  connect(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#report('store', 'connected');
    if (this.#planted?.('bus.missed', [], () => undefined) !== undefined) return;
    for (const missed of this.#missed) missed();
  }

  #report(operation: string, fault: string): void {
    this.#world.recorder.record({ type: 'store-fault', node: this.#life.name, operation, fault });
  }

  #part(name: string, part: Part): Part {
    return new Proxy(part, {
      get: (target, method: string) => {
        const value = target[method];
        if (typeof value !== 'function') return value;
        if (method === 'deleteExpired') return () => this.#life.isAlive && (value as Operation).call(target);
        const run: Operation = (...given) => (value as Operation).apply(target, given);
        const operation = `${name}.${method}`;
        return (...given: unknown[]) => this.#operate(operation, run, given);
      },
    });
  }

  async #operate(operation: string, run: Operation, given: unknown[]): Promise<unknown> {
    const { rates } = this.#world;
    const life = this.#life;
    const failsBefore = happens(this.#world, rates.storeBefore);
    const failsAfter = happens(this.#world, rates.storeAfter);
    await this.#effects.after(this.#delay());
    if (life.isPaused || !life.isAlive) await life.running();
    if (failsBefore || this.#isDown) return this.#fail(operation, 'failed before');
    const planted = this.#planted?.(operation, given, run);
    let outcome = planted === undefined ? attempt(run, given) : { value: planted.value };
    if ('value' in outcome && outcome.value instanceof Promise) outcome = await answerOf(outcome.value);
    if ('value' in outcome) this.#observe?.(life.name, operation, given, outcome.value);
    await this.#answers.after(this.#delay());
    if (life.isPaused || !life.isAlive) await life.running();
    if (failsAfter) return this.#fail(operation, 'failed after');
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  #fail(operation: string, fault: string): never {
    this.#report(operation, fault);
    throw new TenonError('store-failed', `The store failed (${operation}, ${fault}).`);
  }

  #delay(): number {
    const { random } = this.#world;
    const far = random.next();
    return far < 0.5 ? 0 : far < 0.97 ? random.below(8) : random.below(400);
  }

  #bus(bus: MessageBus): MessageBus {
    const publish: Operation = (topic, message) => bus.publish(topic as string, message as string);
    return {
      publish: (topic, message) => this.#operate('bus.publish', publish, [topic, message]) as Promise<void>,
      subscribe: async (...given: unknown[]) => {
        const [topic, onMessage, onMissed] = given as [string, (message: string) => void, (() => void)?];
        // Without a signal for lost messages, none is lost.
        const isLossy = typeof onMissed === 'function';
        if (isLossy) this.#missed.add(onMissed);
        const receive = (message: string): void => this.#receive(topic, message, onMessage, isLossy);
        const subscribe: Operation = () => (bus.subscribe as Operation)(topic, receive, ...(isLossy ? [onMissed] : []));
        const stop = (await this.#operate('bus.subscribe', subscribe, [topic])) as () => void;
        return () => {
          if (isLossy) this.#missed.delete(onMissed);
          stop();
        };
      },
    } as MessageBus;
  }

  /** Messages arrive in their order, later than they were sent. */
  #receive(topic: string, message: string, onMessage: (message: string) => void, isLossy: boolean): void {
    const isHint = hints.has(topic);
    if (!this.#life.isAlive || (this.#isDown && (isLossy || isHint))) return;
    // Not recorded: they are many, and no rule depends on them.
    if (isHint && happens(this.#world, this.#world.rates.hintLost)) return;
    if (this.#planted?.('bus.receive', [topic, message], () => undefined) !== undefined) return;
    void this.#deliver(() => onMessage(message));
  }

  async #deliver(run: () => void): Promise<void> {
    await this.#messages.after(this.#delay());
    await this.#life.running();
    run();
  }
}

/** Things that happen after a delay each, and never before an earlier one. */
class Ordered {
  #last = 0;
  #waiting = 0;

  async after(ms: number): Promise<void> {
    this.#last = Math.max(this.#last, now() + ms);
    // Without a delay there is nothing to wait for, unless an earlier one still waits.
    if (this.#last <= now() && this.#waiting === 0) return;
    this.#waiting++;
    await wait(this.#last - now());
    this.#waiting--;
  }
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A store that is not in this process answers later. */
const answerOf = (answer: Promise<unknown>): Promise<Outcome> =>
  answer.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

function attempt(run: Operation, given: unknown[]): Outcome {
  try {
    return { value: run(...given) };
  } catch (error) {
    return { error };
  }
}
