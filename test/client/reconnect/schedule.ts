/** One client from its first call to its close, under events in random order, with every step checked by the rules. */

import { getEventListeners } from 'node:events';
import { type Client, type ConnectOptions, type ProtocolVersion, TenonError } from 'tenon';
import { type ConnectionState, type ConnectionStateChange } from '../../../src/client/api/connection-state.ts';
import { table } from '../../../src/client/reconnect/table.ts';
import type { Json } from '../../kit/client/manual-transport.ts';
import { type ManualTransport } from '../../kit/client/manual-transport.ts';
import {
  type Mode,
  requestedMs,
  type SimulatedServer,
  simulateServer,
  still,
} from '../../kit/client/simulated-server.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { CallLedger, defaultTimeoutMs, kinds } from './call-records.ts';
import type { Random } from './random.ts';

const maxWaiting = 6;
const closeMs = 3000;
const modes: readonly Mode[] = ['up', 'up', 'up', 'up', 'refusing', 'slow', 'mute', 'unauthorized', 'busy'];
const waits: readonly number[] = [1, 1, 20, 20, 150, 150, 150, 1000, 5000, 12_000, 61_000];

export class Schedule {
  readonly ledger = new CallLedger(() => this.#world.clock.now());
  readonly #random: Random;
  readonly #world: SimulatedServer;
  readonly #client: Client;
  readonly #isSession: boolean;
  readonly #reconnect;
  readonly #visited: Map<string, number>;
  readonly #pendingElicitations = new Set<() => void>();
  /** Cancels connecting, until the client has connected for the first time. */
  readonly #connectController = new AbortController();
  #hasConnected = false;
  #state: ConnectionState = 'idle';
  #failures = 0;
  #readySince = 0;
  #earliestDial = 0;
  #elicitations = 0;
  #steps = 0;

  constructor(revision: ProtocolVersion, random: Random, visited: Map<string, number>) {
    this.#random = random;
    this.#visited = visited;
    const maxAttemptsPerMinute = random.next() < 0.3 ? 3 : 60;
    const resetAfterMs = 10_000;
    const own = { initialDelayMs: 100, maxDelayMs: 5000, maxConsecutiveFailures: 5 };
    this.#reconnect = { ...own, maxAttemptsPerMinute, resetAfterMs };
    this.#isSession = revision !== '2026-07-28';
    this.#world = simulateServer({
      revision,
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, logging: {} },
      received: (wire, message) => this.#received(wire, message),
    });
    const answers: ConnectOptions['handlers'] = { elicitForm: () => this.#elicit() };
    this.#client = this.#world.client(
      {
        reconnect: withFixed(own, { maxAttemptsPerMinute, resetAfterMs }),
        signal: this.#connectController.signal,
        handlers: answers,
        timeoutMs: defaultTimeoutMs,
        timeouts: { inputMs: 30_000 },
        logLevel: 'info',
        onWarning: () => {},
      },
      { maxWaiting, random: random.next },
    );
    this.#client.connection.on('state', (change) => this.#changed(change));
  }

  /** Runs `turns` random steps, then closes the client and checks what is left. Returns the number of steps. */
  async run(turns: number): Promise<number> {
    for (let n = 0; n < turns; n++) await this.#step();
    this.ledger.phase = 'closing';
    let isClosed = false;
    const closing = this.#client.close({ timeoutMs: closeMs }).finally(() => {
      isClosed = true;
    });
    const more = this.#random.below(12);
    for (let n = 0; n < more; n++) await this.#step();
    // If the client has closed already, the clock stays still, so that leftover timers stay visible.
    await still();
    if (!isClosed) this.#world.clock.advance(closeMs);
    await still();
    if (!isClosed) {
      this.#complain('the client did not close within its timeout');
      return this.#steps;
    }
    await closing;
    this.ledger.phase = 'closed';
    this.#startCall();
    for (const wire of this.#world.wires) wire.answer(1, { result: {} });
    await still();
    this.#checkLeftovers();
    return this.#steps;
  }

  #complain(text: string): void {
    this.ledger.complain(text);
  }

  #checkLeftovers(): void {
    const { clock, wires, slow } = this.#world;
    if (this.#state !== 'closed') this.#complain(`its last state is ${this.#state}`);
    for (const { name, kind, sends } of this.ledger.unsettled)
      this.#complain(`${name}, ${kind}, ${sends.size} rounds, was never settled`);
    if (clock.pending > 0) this.#complain(`${clock.pending} timers are left`);
    if (wires.some(({ state }) => state !== 'closed')) this.#complain('a connection is left');
    if (slow.size > 0) this.#complain('a dial is left');
    if (getEventListeners(this.#connectController.signal, 'abort').length > 0)
      this.#complain('its signal still has listeners');
  }

  async #step(): Promise<void> {
    do {
      this.#random.weighted(this.#actions)();
      this.#steps++;
      // The next event happens before the last one is delivered, or a moment later.
      if (this.#random.next() < 0.1) await undefined;
    } while (this.#random.next() < 0.25);
    await still();
    this.#checkWaiting();
  }

  readonly #actions: ReadonlyArray<readonly [number, () => void]> = [
    [24, () => this.#startCall()],
    [24, () => this.#answer((name, method) => ({ result: this.#result(name, method) }))],
    [3, () => this.#answer(() => ({ error: { code: -32603, message: 'it failed' } }))],
    [5, () => this.#fail()],
    [4, () => this.#failListening()],
    [4, () => this.#answerLate()],
    [16, () => this.#sendElicitation()],
    [16, () => this.#random.pick([...this.#pendingElicitations])?.()],
    [4, () => this.#progress()],
    [3, () => this.#world.wire()?.close(this.#random.next() < 0.5 ? undefined : new Error('cable cut'))],
    [5, () => this.#random.pick(this.ledger.unsettled)?.controller.abort()],
    [12, () => this.#world.clock.advance(this.#random.pick(waits) ?? 1)],
    [3, () => this.#changeMode()],
    [9, () => this.#recover()],
    [3, () => this.#random.pick([...this.#world.slow])?.()],
    [
      2,
      () =>
        void this.#client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://b'] }).then(
          (it) => this.#maybeClose(it),
          () => {},
        ),
    ],
    [2, () => void this.#client.connection.ready().catch(() => {})],
    [1, () => this.#cancelConnect()],
  ];

  #cancelConnect(): void {
    if (!this.#hasConnected && this.ledger.phase === 'open') this.ledger.phase = 'closing';
    this.#connectController.abort();
    const isClosed = this.#state === 'closed' || this.#state === 'draining';
    if (!this.#hasConnected && !isClosed) this.#complain(`it is ${this.#state} after it was cancelled`);
  }

  #maybeClose(changes: Awaited<ReturnType<Client['subscribe']>>): void {
    if (this.#random.next() < 0.3) void changes.close().catch(() => {});
  }

  /** The server is back, and time passes for the waiting calls. */
  #recover(): void {
    if (this.#state === 'ready') return;
    this.#world.mode = 'up';
    for (const proceed of this.#world.slow) proceed();
    this.#world.clock.advance(this.#random.pick([500, 5000]) ?? 1);
  }

  #changeMode(): void {
    this.#world.mode = this.#random.pick(modes) ?? 'up';
  }

  #startCall(): void {
    const { next, pick } = this.#random;
    const times = { ...(next() < 0.2 && { timeoutMs: 900 }), ...(next() < 0.2 && { maxTotalTimeoutMs: 4000 }) };
    this.ledger.begin(this.#client, pick(kinds) ?? 'plain', times);
  }

  #result(name: string, method: string): Json {
    const body =
      method === 'tools/call' ? { content: [{ type: 'text', text: name }] } : { description: name, messages: [] };
    return this.#isSession ? body : { ...body, resultType: 'complete' };
  }

  #pendingCalls(): Array<[ManualTransport, Json]> {
    const wire = this.#world.wire();
    const calls = [...(wire?.unanswered.values() ?? [])].filter(({ method }) => isCall(method));
    return wire === undefined ? [] : calls.map((call) => [wire, call]);
  }

  #answer(body: (name: string, method: string) => Json): void {
    const [wire, call] = this.#random.pick(this.#pendingCalls()) ?? [];
    if (wire === undefined || call === undefined) return;
    wire.answer(call.id as number, body((call.params as { name: string }).name, call.method as string));
  }

  /** One request fails, before it arrives or in transit. */
  #fail(): void {
    const [wire, call] = this.#random.pick(this.#pendingCalls()) ?? [];
    if (wire === undefined || call === undefined) return;
    const code = this.#random.next() < 0.5 ? 'connection-refused' : 'unreachable';
    if (code === 'connection-refused') this.ledger.unsent(call);
    wire.fail(call.id as number, new TenonError(code, 'in transit'));
  }

  #failListening(): void {
    const wire = this.#world.wire();
    const listening = [...(wire?.unanswered.values() ?? [])].filter(({ method }) => method === 'subscriptions/listen');
    const one = this.#random.pick(listening);
    if (one !== undefined) wire?.fail(one.id as number, new TenonError('unreachable', 'in transit'));
  }

  /** A response to a request that was answered, cancelled or never sent. */
  #answerLate(): void {
    const wire = this.#random.pick(this.#world.wires);
    wire?.write({ id: this.#random.pick(wire.past) ?? 4711, result: this.#result('late', 'tools/call') });
  }

  #sendElicitation(): void {
    const elicitation = {
      method: 'elicitation/create',
      params: { message: '?', requestedSchema: schema, ...mode(this.#isSession) },
    };
    const key = `q${this.#elicitations++}`;
    if (this.#isSession) return this.#world.wire()?.write({ id: key, ...elicitation });
    this.#answer(() => ({
      result: { resultType: 'input_required', requestState: key, inputRequests: { [key]: elicitation } },
    }));
  }

  #elicit(): Promise<{ action: 'decline' }> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#pendingElicitations.delete(done);
        resolve({ action: 'decline' });
      };
      this.#pendingElicitations.add(done);
    });
  }

  #progress(): void {
    const [wire, call] = this.#random.pick(this.#pendingCalls()) ?? [];
    const { progressToken } = ((call?.params as Json | undefined)?._meta ?? {}) as Json;
    wire?.write({ method: 'notifications/progress', params: { progressToken, progress: this.#random.below(100) } });
  }

  #received(wire: ManualTransport, message: Json): void {
    const { id, method, params } = message;
    if (this.ledger.phase === 'closed') this.#complain(`${method} was sent after the close`);
    if (isCall(method)) return this.ledger.sent(message);
    if (method === 'notifications/cancelled') return forget(wire, (params as { requestId: number }).requestId);
    if (isRestored(method) && this.#random.next() < 0.25) return; // Never answered.
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

  /** Full jitter, no less than Retry-After, and no more attempts than the limit per minute. */
  #checkWait(waitMs: number, now: number, isRequested: boolean): void {
    this.#failures++;
    const { initialDelayMs, maxDelayMs, maxAttemptsPerMinute } = this.#reconnect;
    const whole = Math.min(maxDelayMs, initialDelayMs * 2 ** (this.#failures - 1));
    const oldest = this.#world.dialled.at(-maxAttemptsPerMinute);
    const limited = oldest === undefined ? 0 : Math.max(0, oldest + 60_000 - now);
    const [least, most] = isRequested ? [requestedMs, requestedMs + initialDelayMs] : [0, whole];
    if (waitMs < Math.max(least, limited) || waitMs > Math.max(most, limited))
      this.#complain(`a wait of ${waitMs} ms after ${this.#failures} failures, limited to ${limited}`);
    this.#earliestDial = now + waitMs;
  }

  #checkDial(now: number): void {
    if (now < this.#earliestDial) this.#complain(`dialled at ${now}, ${this.#earliestDial - now} ms too soon`);
    const recent = this.#world.dialled.filter((at) => at > now - 60_000).length;
    if (recent > this.#reconnect.maxAttemptsPerMinute) this.#complain(`${recent} attempts within a minute`);
  }

  /** Calls that are pending neither at the server nor at the user wait for a connection. */
  #checkWaiting(): void {
    const withServer = new Set(this.#pendingCalls().map(([, { params }]) => (params as { name: string }).name));
    const waiting = this.ledger.unsettled.filter(({ name }) => !withServer.has(name)).length;
    if (waiting > maxWaiting + this.#pendingElicitations.size) this.#complain(`${waiting} calls wait`);
  }
}

const schema = { type: 'object', properties: {} };
const mode = (isSession: boolean): Json => (isSession ? {} : { mode: 'form' });

const isCall = (method: unknown): boolean => method === 'tools/call' || method === 'prompts/get';

/** The methods that restore state on a new connection before calls may use it. */
const isRestored = (method: unknown): boolean => method === 'logging/setLevel' || method === 'subscriptions/listen';

function forget(wire: ManualTransport, id: number): void {
  if (wire.unanswered.delete(id)) wire.past.push(id);
}

function acknowledge(wire: ManualTransport, { id, params }: Json): void {
  const { notifications } = params as Json;
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  wire.write({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } });
}
