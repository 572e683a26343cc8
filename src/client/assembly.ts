/** Puts a client together: what stays for its whole life, and connections that come and go. */
import { listenForAbort, stopListening } from '../jsonrpc/abort-listeners.ts';
import type { Deadline, Deadlines } from '../jsonrpc/deadlines.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import type { Channel } from '../transport/channel.ts';
import { type Cache, createCache } from './cache/cache.ts';
import { type Ask, createAsk } from './calls.ts';
import { type Client, type ClientConnection, declares } from './client.ts';
import { createFeatures } from './features.ts';
import { createKnownTools } from './known-tools.ts';
import { type Backoff, defaultBackoff, retryAfterOf, waitMs } from './life/backoff.ts';
import { Life } from './life/life.ts';
import type { StateChange } from './life/table.ts';
import type { Awaited } from './life/waiting.ts';
import { type Line, type LineOptions, openLine } from './line.ts';
import type { ConnectOptions } from './options.ts';
import { type ClientSetting, createSetting, tellUser } from './setting.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';

/** Opens the protocol over a channel. Whoever made the channel may know better than the user's options. */
export type OpenLine = (channel: Channel, own?: LineOptions) => Promise<Line>;

/** Makes one connection. Once the signal is aborted, nothing of it may stay behind. */
export type Dial = (open: OpenLine, signal: AbortSignal) => Promise<Line>;

export interface Reach {
  readonly dial: Dial;
  /** Whether a connection that broke off is made again, where the option `reconnect` does not say. */
  readonly reconnects: boolean;
  /** Whether every connection starts a server of its own, which knows nothing of what the one before carried out. */
  readonly startsServer?: boolean;
  /** What an attempt that is under way waits for. */
  readonly awaited?: () => Awaited | undefined;
  /** What the server is known by to every client that reaches it, where there is such a name. */
  readonly address?: string;
}

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
export function assembleClient<S>(reach: Reach, options: ConnectOptions, bounds: Bounds = usualBounds): Client<S> {
  const ending = new Ending();
  const setting = createSetting(
    options,
    (news) => {
      // Whoever hears of it looks again, and has to find what is new.
      cache.told(news);
      subscriptions.told(news);
    },
    (gone) => ending.add(gone),
  );
  const { deadlines, timeoutMs, fault } = setting;
  const given = lineOptionsOf(options);
  const policy = policyOf(options, reach.reconnects);
  const tools = createKnownTools(options.trusted === true);
  const listeners = new Set<(change: StateChange) => void>();
  const life: Life = new Life(
    {
      dial(signal) {
        const due = deadlines.now() + timeoutMs;
        const open: OpenLine = (channel, own) => openLine(channel, setting, { ...given, ...own }, due, signal);
        const dialing = reach.dial(open, signal);
        ending.add(dialing);
        return dialing;
      },
      awaited: () => reach.awaited?.(),
      async restore(line, again) {
        tools.forget();
        cache.met(line);
        const level = restoreLevel(line, setting).catch(fault);
        // A server that does not answer this may still answer calls.
        await noLonger(deadlines, restoreMs, Promise.all([level, again && subscriptions.restore(line)]));
      },
      changed: (change) =>
        listeners.forEach((hear) => tellUser(fault, 'the state of the connection', () => hear(change))),
      ended(reason) {
        subscriptions.closed(reason, life.isClosing);
        tellUser(fault, 'the end of the connection', () => options.closed?.(reason));
        listeners.clear();
        ending.end();
        // Those of others may serve on.
        if (options.deadlines === undefined) deadlines.end();
      },
      fault,
    },
    { deadlines, now: deadlines.now, ...bounds, ...policy },
  );
  const subscriptions: Subscriptions = createSubscriptions({
    deadlines,
    timeoutMs,
    fault,
    reconnects: policy.backoff !== undefined,
    missed: () => cache.doubt(),
    reach: async () => life.line ?? life.reach({ timeoutMs }),
    waitMs: (failures, error) => jitteredWait(policy.backoff, failures, error, bounds.random),
  });
  const ask = createAsk({ ...setting, life, mayRepeat: tools.mayRepeat, keepsKeys: reach.startsServer !== true });
  const cache = cacheOf(life, ask, setting, reach, options);
  if (options.signal !== undefined) heed(options.signal, life, listeners);
  return createFeatures<S>({
    life,
    connection: connectionOf(life, listeners),
    counts: setting.counts,
    ask,
    cache,
    tools,
    extensions: setting.extensions,
    subscriptions,
    outputs: options.outputs,
    hasRoots: setting.pages.answers.roots !== undefined,
    fault,
    setLogLevel: (level) => {
      setting.logLevel = level;
    },
    close: createClose(life, deadlines, ending),
  });
}

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

const cacheOf = (
  life: Life,
  ask: Ask,
  { deadlines, introduction }: ClientSetting,
  { address }: Reach,
  options: ConnectOptions,
): Cache =>
  createCache(options.cache ?? {}, {
    ask,
    now: deadlines.now,
    isUsable: () => life.state !== 'draining' && life.state !== 'closed',
    address,
    capabilities: () => introduction().capabilities,
  });

const lineOptionsOf = ({ strict, limits, expects }: ConnectOptions): LineOptions => ({
  ...(strict !== undefined && { strict }),
  ...(limits && { limits }),
  ...(expects && { expects }),
});

function policyOf({ reconnect }: ConnectOptions, reconnects: boolean) {
  const given = typeof reconnect === 'object' ? reconnect : {};
  const isOn = reconnect === undefined ? reconnects : reconnect !== false;
  const { breakAfter = 5, settleMs = 10_000, ...backoff } = given;
  return { breakAfter, settleMs, backoff: isOn ? { ...defaultBackoff, ...backoff } : undefined };
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

/** Connecting can be given up until it is done for the first time. */
function heed(signal: AbortSignal, life: Life, listeners: Set<(change: StateChange) => void>): void {
  const giveUp = (): void => {
    const error = new TenonError('cancelled', 'Connecting was given up.', { cause: signal.reason });
    life.dispatch({ kind: 'given-up', error });
  };
  if (signal.aborted) return giveUp();
  const hear = ({ to }: StateChange): void => {
    if (to !== 'ready' && to !== 'closed') return;
    stopListening(signal, giveUp);
    listeners.delete(hear);
  };
  listenForAbort(signal, giveUp);
  listeners.add(hear);
}

const connectionOf = (life: Life, listeners: Set<(change: StateChange) => void>): ClientConnection => ({
  get state() {
    return life.state;
  },
  on(_, hear) {
    listeners.add(hear);
    return () => listeners.delete(hear);
  },
  async ready({ signal } = {}) {
    if (life.line === undefined) await life.reach({ impatient: true, signal });
  },
});

/** What has to be over before a client is: its life, and all that its channels held. */
class Ending {
  readonly #held = new Set<Promise<unknown>>();
  end: () => void = () => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  add(gone: Promise<unknown>): void {
    this.#held.add(gone);
    const release = (): boolean => this.#held.delete(gone);
    gone.then(release, release);
  }

  async over(): Promise<void> {
    await this.#ended;
    // What was being made when the end came has to be taken apart too.
    while (this.#held.size > 0) await Promise.allSettled(this.#held);
  }
}

const createClose =
  (life: Life, deadlines: Deadlines, ending: Ending): Client['close'] =>
  async ({ timeoutMs = defaultCloseMs } = {}) => {
    life.dispatch({ kind: 'close' });
    const tooLate = deadlines.add(timeoutMs, () => life.dispatch({ kind: 'drained' }));
    await ending.over();
    deadlines.cancel(tooLate);
  };
