/** One client from its first call to its end, under events in an order that chance decides, each step held against what must be. */

import { getEventListeners } from 'node:events';
import { type Client, type ConnectOptions, type ProtocolVersion, TenonError } from 'tenon';
import { type ConnectionState, type ConnectionStateChange } from '../../../src/client/api/connection-state.ts';
import { table } from '../../../src/client/reconnect/table.ts';
import type { Json } from '../../kit/client/manual-channel.ts';
import { type ManualChannel } from '../../kit/client/manual-channel.ts';
import {
  type Mode,
  requestedMs,
  type SimulatedServer,
  simulateServer,
  still,
} from '../../kit/client/simulated-server.ts';
import { CallLedger, kinds } from './call-records.ts';
import type { Chance } from './random.ts';

const maxWaiting = 6;
const closeMs = 3000;
const modes: readonly Mode[] = ['up', 'up', 'up', 'up', 'refusing', 'slow', 'mute', 'unauthorized', 'busy'];
const waits: readonly number[] = [1, 1, 20, 20, 150, 150, 150, 1000, 5000, 12_000, 61_000];

export class Schedule {
  readonly ledger = new CallLedger();
  readonly #chance: Chance;
  readonly #world: SimulatedServer;
  readonly #client: Client;
  readonly #isSession: boolean;
  readonly #reconnect;
  readonly #visited: Map<string, number>;
  readonly #thinking = new Set<() => void>();
  /** Gives connecting up, until it is done for the first time. */
  readonly #giving = new AbortController();
  #hasConnected = false;
  #state: ConnectionState = 'idle';
  #failures = 0;
  #readySince = 0;
  #dialFrom = 0;
  #questions = 0;
  #made = 0;

  constructor(revision: ProtocolVersion, chance: Chance, visited: Map<string, number>) {
    this.#chance = chance;
    this.#visited = visited;
    const maxAttemptsPerMinute = chance.next() < 0.3 ? 3 : 60;
    this.#reconnect = {
      initialDelayMs: 100,
      maxDelayMs: 5000,
      maxAttemptsPerMinute,
      maxConsecutiveFailures: 5,
      resetAfterMs: 10_000,
    };
    this.#isSession = revision !== '2026-07-28';
    this.#world = simulateServer({
      revision,
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, logging: {} },
      received: (wire, message) => this.#heard(wire, message),
    });
    const answers: ConnectOptions['handlers'] = { elicitForm: () => this.#think() };
    this.#client = this.#world.client(
      {
        reconnect: this.#reconnect,
        signal: this.#giving.signal,
        handlers: answers,
        timeoutMs: 8000,
        timeouts: { inputMs: 30_000 },
        logLevel: 'info',
        onWarning: () => {},
      },
      { maxWaiting, random: chance.next },
    );
    this.#client.connection.on('state', (change) => this.#changed(change));
  }

  /** Lets things happen `turns` times, then ends the client and looks at what is left. Gives how many steps it took. */
  async run(turns: number): Promise<number> {
    for (let n = 0; n < turns; n++) await this.#step();
    this.ledger.phase = 'closing';
    let isOver = false;
    const closing = this.#client.close({ timeoutMs: closeMs }).finally(() => {
      isOver = true;
    });
    const more = this.#chance.below(12);
    for (let n = 0; n < more; n++) await this.#step();
    // Where the client ended by itself, no time passes that could hide what it left.
    await still();
    if (!isOver) this.#world.clock.advance(closeMs);
    await still();
    if (!isOver) {
      this.#complain('the client did not end within its bound');
      return this.#made;
    }
    await closing;
    this.ledger.phase = 'closed';
    this.#begin();
    for (const wire of this.#world.wires) wire.answer(1, { result: {} });
    await still();
    this.#lookBack();
    return this.#made;
  }

  #complain(text: string): void {
    this.ledger.complain(text);
  }

  #lookBack(): void {
    const { clock, wires, slow } = this.#world;
    if (this.#state !== 'closed') this.#complain(`it ended ${this.#state}`);
    for (const { name, kind, sends } of this.ledger.unsettled)
      this.#complain(`${name}, ${kind}, ${sends.size} rounds, never ended`);
    if (clock.pending > 0) this.#complain(`${clock.pending} timers are left`);
    if (wires.some(({ state }) => state !== 'closed')) this.#complain('a connection is left');
    if (slow.size > 0) this.#complain('a dial is left');
    if (getEventListeners(this.#giving.signal, 'abort').length > 0) this.#complain('its signal is still listened to');
  }

  async #step(): Promise<void> {
    do {
      this.#chance.weighted(this.#acts)();
      this.#made++;
      // Before anybody hears of it, or a moment later, the next thing can happen.
      if (this.#chance.next() < 0.1) await undefined;
    } while (this.#chance.next() < 0.25);
    await still();
    this.#checkWaiting();
  }

  readonly #acts: ReadonlyArray<readonly [number, () => void]> = [
    [24, () => this.#begin()],
    [24, () => this.#answer((name, method) => ({ result: this.#result(name, method) }))],
    [3, () => this.#answer(() => ({ error: { code: -32603, message: 'it failed' } }))],
    [5, () => this.#fail()],
    [4, () => this.#failListening()],
    [4, () => this.#answerLate()],
    [16, () => this.#ask()],
    [16, () => this.#chance.pick([...this.#thinking])?.()],
    [4, () => this.#progress()],
    [3, () => this.#world.wire()?.close(this.#chance.next() < 0.5 ? undefined : new Error('cable cut'))],
    [5, () => this.#chance.pick(this.ledger.unsettled)?.giveUp.abort()],
    [12, () => this.#world.clock.advance(this.#chance.pick(waits) ?? 1)],
    [3, () => this.#turn()],
    [9, () => this.#recover()],
    [3, () => this.#chance.pick([...this.#world.slow])?.()],
    [
      2,
      () =>
        void this.#client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://b'] }).then(
          (it) => this.#keep(it),
          () => {},
        ),
    ],
    [2, () => void this.#client.connection.ready().catch(() => {})],
    [1, () => this.#giveUp()],
  ];

  #giveUp(): void {
    if (!this.#hasConnected && this.ledger.phase === 'open') this.ledger.phase = 'closing';
    this.#giving.abort();
    const isOver = this.#state === 'closed' || this.#state === 'draining';
    if (!this.#hasConnected && !isOver) this.#complain(`it is ${this.#state} after it was given up`);
  }

  #keep(changes: Awaited<ReturnType<Client['subscribe']>>): void {
    if (this.#chance.next() < 0.3) void changes.close().catch(() => {});
  }

  /** The server is back, and time passes for those who wait for it. */
  #recover(): void {
    if (this.#state === 'ready') return;
    this.#world.mode = 'up';
    for (const go of this.#world.slow) go();
    this.#world.clock.advance(this.#chance.pick([500, 5000]) ?? 1);
  }

  #turn(): void {
    this.#world.mode = this.#chance.pick(modes) ?? 'up';
  }

  #begin(): void {
    const { next, pick } = this.#chance;
    const times = { ...(next() < 0.2 && { timeoutMs: 900 }), ...(next() < 0.2 && { maxTotalTimeoutMs: 4000 }) };
    this.ledger.begin(this.#client, pick(kinds) ?? 'plain', times);
  }

  #result(name: string, method: string): Json {
    const body =
      method === 'tools/call' ? { content: [{ type: 'text', text: name }] } : { description: name, messages: [] };
    return this.#isSession ? body : { ...body, resultType: 'complete' };
  }

  #pendingCalls(): Array<[ManualChannel, Json]> {
    const wire = this.#world.wire();
    const calls = [...(wire?.unanswered.values() ?? [])].filter(({ method }) => isCall(method));
    return wire === undefined ? [] : calls.map((call) => [wire, call]);
  }

  #answer(body: (name: string, method: string) => Json): void {
    const [wire, call] = this.#chance.pick(this.#pendingCalls()) ?? [];
    if (wire === undefined || call === undefined) return;
    wire.answer(call.id as number, body((call.params as { name: string }).name, call.method as string));
  }

  /** A request by itself comes to nothing, before it arrived or on its way. */
  #fail(): void {
    const [wire, call] = this.#chance.pick(this.#pendingCalls()) ?? [];
    if (wire === undefined || call === undefined) return;
    const code = this.#chance.next() < 0.5 ? 'connection-refused' : 'unreachable';
    if (code === 'connection-refused') this.ledger.unsent(call);
    wire.fail(call.id as number, new TenonError(code, 'by itself'));
  }

  #failListening(): void {
    const wire = this.#world.wire();
    const listening = [...(wire?.unanswered.values() ?? [])].filter(({ method }) => method === 'subscriptions/listen');
    const one = this.#chance.pick(listening);
    if (one !== undefined) wire?.fail(one.id as number, new TenonError('unreachable', 'by itself'));
  }

  /** An answer to what was answered, or given up, or never asked. */
  #answerLate(): void {
    const wire = this.#chance.pick(this.#world.wires);
    wire?.write({ id: this.#chance.pick(wire.past) ?? 4711, result: this.#result('nobody', 'tools/call') });
  }

  #ask(): void {
    const question = {
      method: 'elicitation/create',
      params: { message: '?', requestedSchema: schema, ...mode(this.#isSession) },
    };
    const key = `q${this.#questions++}`;
    if (this.#isSession) return this.#world.wire()?.write({ id: key, ...question });
    this.#answer(() => ({
      result: { resultType: 'input_required', requestState: key, inputRequests: { [key]: question } },
    }));
  }

  #think(): Promise<{ action: 'decline' }> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#thinking.delete(done);
        resolve({ action: 'decline' });
      };
      this.#thinking.add(done);
    });
  }

  #progress(): void {
    const [wire, call] = this.#chance.pick(this.#pendingCalls()) ?? [];
    const { progressToken } = ((call?.params as Json | undefined)?._meta ?? {}) as Json;
    wire?.write({ method: 'notifications/progress', params: { progressToken, progress: this.#chance.below(100) } });
  }

  #heard(wire: ManualChannel, message: Json): void {
    const { id, method, params } = message;
    if (this.ledger.phase === 'closed') this.#complain(`${method} was sent after the end`);
    if (isCall(method)) return this.ledger.sent(message);
    if (method === 'notifications/cancelled') return forget(wire, (params as { requestId: number }).requestId);
    if (isRestored(method) && this.#chance.next() < 0.25) return; // Never answered.
    if (method === 'subscriptions/listen') return queueMicrotask(() => acknowledge(wire, message));
    if (method !== undefined && id !== undefined) queueMicrotask(() => wire.answer(id as number, { result: {} }));
  }

  #changed({ from, to, event: by, error, retryDelayMs: waitMs = 0 }: ConnectionStateChange): void {
    const step = table[from][by];
    if (from !== this.#state || step?.to !== to) this.#complain(`${this.#state}: ${from} went to ${to} by ${by}`);
    this.#visited.set(`${from} ${by}`, (this.#visited.get(`${from} ${by}`) ?? 0) + 1);
    this.#state = to;
    const now = this.#world.clock.now();
    if (to === 'ready') this.#readySince = now;
    this.#hasConnected ||= to === 'ready';
    if (from === 'ready' && now - this.#readySince >= this.#reconnect.resetAfterMs) this.#failures = 0;
    if (to === 'backoff')
      this.#checkWait(waitMs, now, error instanceof TenonError && error.code === 'server-unavailable');
    if (to === 'connecting') this.#checkDial(now);
  }

  /** Full jitter, no less than what the server asked for, and no more often than the limit by the minute. */
  #checkWait(waitMs: number, now: number, isRequested: boolean): void {
    this.#failures++;
    const { initialDelayMs, maxDelayMs, maxAttemptsPerMinute } = this.#reconnect;
    const whole = Math.min(maxDelayMs, initialDelayMs * 2 ** (this.#failures - 1));
    const oldest = this.#world.dialled.at(-maxAttemptsPerMinute);
    const limited = oldest === undefined ? 0 : Math.max(0, oldest + 60_000 - now);
    const [least, most] = isRequested ? [requestedMs, requestedMs + initialDelayMs] : [0, whole];
    if (waitMs < Math.max(least, limited) || waitMs > Math.max(most, limited))
      this.#complain(`a wait of ${waitMs} ms after ${this.#failures} failures, limited to ${limited}`);
    this.#dialFrom = now + waitMs;
  }

  #checkDial(now: number): void {
    if (now < this.#dialFrom) this.#complain(`dialled at ${now}, ${this.#dialFrom - now} ms too soon`);
    const recent = this.#world.dialled.filter((at) => at > now - 60_000).length;
    if (recent > this.#reconnect.maxAttemptsPerMinute) this.#complain(`${recent} attempts within a minute`);
  }

  /** Calls that are neither with the server nor with the user wait for a connection. */
  #checkWaiting(): void {
    const withServer = new Set(this.#pendingCalls().map(([, { params }]) => (params as { name: string }).name));
    const waiting = this.ledger.unsettled.filter(({ name }) => !withServer.has(name)).length;
    if (waiting > maxWaiting + this.#thinking.size) this.#complain(`${waiting} calls wait`);
  }
}

const schema = { type: 'object', properties: {} };
const mode = (isSession: boolean): Json => (isSession ? {} : { mode: 'form' });

const isCall = (method: unknown): boolean => method === 'tools/call' || method === 'prompts/get';

/** What a new connection is told before calls may use it. */
const isRestored = (method: unknown): boolean => method === 'logging/setLevel' || method === 'subscriptions/listen';

function forget(wire: ManualChannel, id: number): void {
  if (wire.unanswered.delete(id)) wire.past.push(id);
}

function acknowledge(wire: ManualChannel, { id, params }: Json): void {
  const { notifications } = params as Json;
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  wire.write({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } });
}
