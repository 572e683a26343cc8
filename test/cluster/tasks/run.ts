/** One run of the matrix: a server, a worker and a client as processes; one of them is killed, and another one takes its place. */
import { deferred } from '../../kit/deferred.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { startBalancer } from '../chaos/rig/balancer.ts';
import { isClaim, isFault } from './history/events.ts';
import type { Fork, Forks } from './rig/forks.ts';
import { createLedger, type Ledger } from './rig/ledger.ts';
import type { ClientKind, Fault, Part, Planted, Report, Role, Wire } from './rig/messages.ts';
import type { Stores } from './rig/stores.ts';

export interface Scenario {
  readonly wire: Wire;
  readonly client?: ClientKind;
  readonly tool?: Part['tool'];
  /** Whom the fault happens to. None: a clean run. */
  readonly fault?: Fault & { readonly role: Role };
  readonly leaseMs: number;
  /** What is wrong with the store of every process. */
  readonly planted?: Planted;
}

export interface Outcome extends Pick<Ledger, 'history' | 'boundaries'> {
  /** Why the run did not end, and what its processes wrote about trouble. */
  readonly trouble: string;
}

export interface Rig {
  readonly forks: Forks;
  readonly stores: Stores;
}

/** Only a run that fails takes this long. */
const patienceMs = 120_000;

export async function runTask(rig: Rig, scenario: Scenario): Promise<Outcome> {
  const ledger = createLedger();
  const ports = new Map<string, number>();
  const balancer = await startBalancer(ports);
  const run = new Run(rig, scenario, ledger, balancer.url, ports);
  let trouble = '';
  try {
    await withTimeout(run.toEnd(), 'the end of the run', patienceMs);
    await run.close();
  } catch (error) {
    trouble = `${error}\n${run.abort()}`;
  }
  await balancer.close();
  return { history: ledger.history, boundaries: ledger.boundaries, trouble };
}

class Run {
  readonly #rig: Rig;
  readonly #scenario: Scenario;
  readonly #ledger: Ledger;
  readonly #shared: Omit<Part, 'role' | 'process' | 'fault'>;
  readonly #ports: Map<string, number>;
  readonly #live = new Map<string, Fork>();
  readonly #all: Fork[] = [];
  readonly #counts = { server: 0, worker: 0, client: 0 };
  readonly #faulted = deferred();
  readonly #followed = deferred();
  /** A worker that was stopped: it wakes when another one has taken its task. */
  #paused: string | undefined;
  #replacing: Promise<unknown>[] = [];
  /** The process that kills itself: another one takes its place when it is gone. */
  #dying: Promise<unknown> | undefined;
  /** The store that was killed, perhaps after the client had its result: it is read when it runs again. */
  #restarting: Promise<unknown> | undefined;
  #hasFaulted = false;
  #isOver = false;

  constructor(rig: Rig, scenario: Scenario, ledger: Ledger, url: string, ports: Map<string, number>) {
    const { store, memory } = rig.stores.next();
    const { wire, client = 'raw', tool = 'keyed', fault, planted, leaseMs } = scenario;
    this.#rig = rig;
    this.#scenario = scenario;
    this.#ledger = ledger;
    this.#ports = ports;
    this.#shared = { store, memory, url, wire, client, tool, planted, leaseMs };
    if (fault === undefined) this.#faulted.resolve();
  }

  /** Resolves when a client has the result, and the fault has happened, if its boundary is one of every run. */
  async toEnd(): Promise<void> {
    await Promise.all([this.#start('server'), this.#start('worker')]);
    await this.#start('client');
    const { fault } = this.#scenario;
    await Promise.all([fault && isByChance(fault) ? undefined : this.#faulted.promise, this.#followed.promise]);
    this.#resume();
    await this.#dying;
    await Promise.all(this.#replacing);
  }

  /** Reads what the store has, and ends the parts of all processes that live. */
  async close(): Promise<void> {
    this.#isOver = true;
    const created = this.#ledger.history.find((event) => event.type === 'created');
    const [, server] = [...this.#live].findLast(([name]) => name.startsWith('server')) ?? [];
    await Promise.all([...this.#live.values()].map((fork) => (fork === server ? undefined : fork.end())));
    await this.#restarting;
    if (created !== undefined) await server?.look(created.task);
    await server?.end();
    for (const fork of this.#live.values()) this.#rig.forks.giveBack(fork);
  }

  /** Ends a run that failed, and returns what its processes wrote. */
  abort(): string {
    this.#isOver = true;
    for (const fork of this.#all) fork.kill();
    return this.#all.map((fork) => fork.trouble()).join('');
  }

  async #start(role: Role): Promise<void> {
    const name = `${role}-${++this.#counts[role]}`;
    const { fault } = this.#scenario;
    const fork = this.#rig.forks.take();
    this.#live.set(name, fork);
    this.#all.push(fork);
    this.#ledger.record({ type: 'process', process: name, what: 'started' });
    void fork.exited.then(() => this.#gone(role, name));
    // A process that ended before its fault, as on a busy machine, leaves it to the next one.
    const isFaulty = fault?.role === role && !this.#hasFaulted;
    const part = { ...this.#shared, role, process: name, fault: isFaulty ? fault : undefined };
    const port = await fork.begin(part, (report) => this.#report(role, name, report));
    if (role === 'server' && fork.isAlive) this.#ports.set(name, port);
    if (role === 'client') void fork.followed().then((isSo) => (isSo ? this.#followed.resolve() : undefined));
  }

  #gone(role: Role, name: string): void {
    if (this.#isOver) return;
    this.#live.delete(name);
    this.#ports.delete(name);
    this.#replacing.push(this.#start(role));
  }

  async #report(role: Role, name: string, report: Report): Promise<string> {
    this.#ledger.take(role, report);
    if (report.type === 'boundary' || report.type === 'effect') return '';
    if (isFault(report)) this.#hasFaulted = true;
    if (report.type === 'store' && report.what === 'killed') {
      this.#restarting = this.#rig.stores.restart();
      await this.#restarting;
      this.#ledger.record({ type: 'store', what: 'started' });
    }
    if (report.type === 'process' && report.what === 'killed') this.#dying = this.#live.get(name)?.exited;
    if (report.type === 'process' && report.what === 'paused') {
      this.#paused = name;
      this.#replacing.push(this.#start(role));
    }
    if (isClaimOfOther(report, this.#paused)) this.#resume();
    if (isFault(report)) this.#faulted.resolve();
    return '';
  }

  #resume(): void {
    if (this.#paused === undefined) return;
    this.#ledger.record({ type: 'process', process: this.#paused, what: 'resumed' });
    this.#live.get(this.#paused)?.resume();
    this.#paused = undefined;
  }
}

/**
 * A worker reads a task only where a signal has overtaken what it was answered; and it takes one more often than at the
 * start and after each of two answers only where its lease has lapsed, as on a busy machine.
 */
const isByChance = ({ role, at }: Fault & { readonly role: Role }): boolean =>
  role === 'worker' && / (?:read|journal)$|^after claim (?:[4-9]|\d\d)|^before claim (?:[5-9]|\d\d)/.test(at);

const isClaimOfOther = (report: Report, paused: string | undefined): boolean =>
  report.type === 'written' && isClaim(report) && report.process !== paused;
