/** Puts a client together: what stays for its whole life, and connections that come and go. */
import type { Deadline, Deadlines } from '../jsonrpc/deadlines.ts';
import type { News } from '../protocol/neutral.ts';
import type { Channel } from '../transport/channel.ts';
import { type Client, declares } from './api/client.ts';
import type { StateChange } from './api/connection-state.ts';
import type { ConnectOptions } from './api/options.ts';
import { type Cache, type CachePorts, createCache } from './cache/cache.ts';
import { Calls } from './calls/calls.ts';
import { KnownTools } from './calls/known-tools.ts';
import { Subscriptions } from './changes/subscriptions.ts';
import { type Line, type LineOptions, openLine } from './connection/connection.ts';
import type { Awaited, OpenLine, Reach } from './connection/connector.ts';
import { ClientSetting, type SettingPorts } from './connection/settings.ts';
import { createFeatures, type FeaturePorts } from './features/client-methods.ts';
import { heed, LivingConnection } from './reconnect/connection-handle.ts';
import { Life, type LifePolicy, type LifePorts } from './reconnect/supervisor.ts';
import { type Backoff, defaultBackoff, retryAfterOf, waitMs } from './retry/backoff.ts';

const defaultCloseMs = 5000;
/** How long calls wait for a new connection to know what the last one knew. */
const restoreMs = 5000;

/** What no user sets. */
export interface Bounds {
  /** From 0 to 1, for waits that not all clients should make alike. */
  readonly random: () => number;
  /** How many calls may wait for a connection. */
  readonly maxWaiting: number;
}

const usualBounds: Bounds = { random: Math.random, maxWaiting: 10_000 };

/** A client that connects when it is first used. */
export const assembleClient = <S>(reach: Reach, options: ConnectOptions, bounds: Bounds = usualBounds): Client<S> =>
  createFeatures<S>(new Assembly(reach, options, bounds));

/** Connects before the client is handed on: what the first attempt comes to is what the caller hears. */
export async function connectedClient<S>(reach: Reach, options: ConnectOptions): Promise<Client<S>> {
  const client = assembleClient<S>(reach, options);
  try {
    await client.connection.ready(options.signal && { signal: options.signal });
  } catch (error) {
    await client.close({ timeoutMs: 1 });
    throw error;
  }
  return client;
}

/** What only some clients need is made when it is needed: a process may have many that are idle. */
class Assembly implements FeaturePorts, LifePorts, CachePorts, SettingPorts {
  readonly setting: ClientSetting;
  readonly life: Life;
  readonly knownTools: KnownTools;
  readonly calls: Calls;
  readonly connection: LivingConnection;
  readonly #reach: Reach;
  readonly #options: ConnectOptions;
  readonly #policy: LifePolicy;
  readonly #bounds: Bounds;
  #subscriptions: Subscriptions | undefined;
  #cache: Cache | undefined;

  constructor(reach: Reach, options: ConnectOptions, bounds: Bounds) {
    this.#reach = reach;
    this.#options = options;
    this.#bounds = bounds;
    this.#policy = policyOf(options, reach.reconnects);
    this.setting = new ClientSetting(options, this);
    this.life = new Life(this, this.setting.deadlines, this.#policy, bounds);
    this.knownTools = new KnownTools(options.trusted === true);
    this.calls = new Calls(this.life, this.setting, this.knownTools, reach.startsServer !== true);
    this.connection = new LivingConnection(this.life, this.setting);
    // It hears of every connection: what clients share is doubted at each but the first.
    if (typeof options.cache === 'object' && options.cache.shared !== undefined) this.#cache = this.#createCache();
    if (options.signal !== undefined) heed(options.signal, this.life, this.connection);
  }

  get outputs(): ConnectOptions['outputs'] {
    return this.#options.outputs;
  }

  get cache(): Cache {
    this.#cache ??= this.#createCache();
    return this.#cache;
  }

  #createCache(): Cache {
    return createCache(this.#options.cache ?? {}, this);
  }

  get subscriptions(): Subscriptions {
    this.#subscriptions ??= this.#createSubscriptions();
    return this.#subscriptions;
  }

  #createSubscriptions(): Subscriptions {
    const { deadlines, timeoutMs } = this.setting;
    const { backoff } = this.#policy;
    const { random } = this.#bounds;
    return new Subscriptions({
      deadlines,
      timeoutMs,
      fault: (error) => this.fault(error),
      reconnects: backoff !== undefined,
      missed: () => this.#cache?.doubt(),
      reach: (patience) => this.life.reach(patience),
      pause: (ms, signal) => this.life.pause(ms, signal),
      waitMs: (failures, error) => jitteredWait(backoff, failures, error, random),
    });
  }

  dial(signal: AbortSignal): Promise<Line> {
    const { setting } = this;
    const { deadlines, timeoutMs, ending } = setting;
    const due = deadlines.now() + timeoutMs;
    const given = lineOptionsOf(this.#options);
    const open: OpenLine = (channel, own) => openLine(channel, setting, { ...given, ...own }, due, signal);
    const dialing = this.#reach.dial(open, signal, deadlines);
    ending.hold();
    ending.release(dialing);
    return dialing;
  }

  awaited(): Awaited | undefined {
    return this.#reach.awaited?.();
  }

  async restore(line: Line, again: boolean): Promise<void> {
    const { setting } = this;
    this.knownTools.forget();
    this.#cache?.met(line);
    const level = restoreLevel(line, setting).catch((error) => this.fault(error));
    // A server that does not answer this may still answer calls.
    await noLonger(setting.deadlines, restoreMs, Promise.all([level, again && this.#subscriptions?.restore(line)]));
  }

  changed(change: StateChange): void {
    this.connection.tell(change);
  }

  ended(reason: Error | undefined): void {
    this.#subscriptions?.closed(reason, this.life.isClosing);
    this.setting.tellUser('the end of the connection', () => this.#options.closed?.(reason));
    this.connection.end();
    this.setting.ending.end();
    this.setting.end();
  }

  fault(error: Error): void {
    this.setting.fault(error);
  }

  news(news: News): void {
    // Whoever hears of it looks again, and has to find what is new.
    this.#cache?.told(news);
    this.#subscriptions?.told(news);
  }

  missed(): void {
    this.#cache?.doubt();
    this.#subscriptions?.missed();
  }

  now(): number {
    return this.setting.deadlines.now();
  }

  get isUsable(): boolean {
    const { state } = this.life;
    return state !== 'draining' && state !== 'closed';
  }

  get address(): string | undefined {
    return this.#reach.address;
  }

  capabilities(): object {
    return this.setting.introduction().capabilities;
  }

  async close({ timeoutMs = defaultCloseMs }: { readonly timeoutMs?: number } = {}): Promise<void> {
    const { deadlines, ending } = this.setting;
    this.life.dispatch({ kind: 'close' });
    const tooLate = deadlines.add(timeoutMs, () => this.life.dispatch({ kind: 'drained' }));
    await ending.over();
    deadlines.cancel(tooLate);
    this.setting.end();
  }
}

const lineOptionsOf = ({ strict, limits, expects }: ConnectOptions): LineOptions => ({
  ...(strict !== undefined && { strict }),
  ...(limits && { limits }),
  ...(expects && { expects }),
});

const once: LifePolicy = { breakAfter: 5, settleMs: 10_000, backoff: undefined };
const again: LifePolicy = { ...once, backoff: defaultBackoff };

function policyOf({ reconnect }: ConnectOptions, reconnects: boolean): LifePolicy {
  if (typeof reconnect !== 'object') return (reconnect ?? reconnects) ? again : once;
  const { breakAfter = once.breakAfter, settleMs = once.settleMs, ...backoff } = reconnect;
  return { breakAfter, settleMs, backoff: { ...defaultBackoff, ...backoff } };
}

const jitteredWait = (
  backoff: Backoff = defaultBackoff,
  failures: number,
  error: Error | undefined,
  random: () => number,
): number => waitMs(backoff, { failures, made: [], now: 0, askedMs: retryAfterOf(error) }, random);

/** Waits for work that goes on by itself, and not for longer than it may take. */
async function noLonger(deadlines: Deadlines, ms: number, work: Promise<unknown>): Promise<void> {
  let deadline: Deadline | undefined;
  const late = new Promise<void>((resolve) => {
    deadline = deadlines.add(ms, resolve);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    if (deadline !== undefined) deadlines.cancel(deadline);
  }
}

async function restoreLevel(line: Line, { logLevel: level, timeoutMs }: ClientSetting): Promise<void> {
  if (level === undefined || !declares(line.capabilities, 'logging')) return;
  if (!line.conversation.revision.client.requests.has('logging/setLevel')) return;
  await line.conversation.call('logging/setLevel', { level }, { timeoutMs });
}
