/** Sends the requests of a user over the connection of the moment: at most once, unless the call may be repeated. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import { idempotencyKey as keyName } from '../../protocol/meta-keys.ts';
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Done, Fields } from '../../protocol/neutral.ts';
import type { Told } from '../../protocol/progress.ts';
import { type CallOptions, need } from '../api/client.ts';
import type { Line } from '../connection/connection.ts';
import type { CallingOptions } from '../connection/conversation.ts';
import { isDoubt, replaced, stillServes } from '../connection/negotiation/rediscovery.ts';
import type { ClientSetting } from '../connection/settings.ts';
import type { Life } from '../reconnect/supervisor.ts';
import { maxTries, pauseMs } from '../retry/backoff.ts';
import { fateOf, isDown, isHarmless, isPassing, isUnavailable, outcomeUnknown } from '../retry/failure-outcome.ts';
import { checkCall } from './call-options.ts';
import type { KnownTools } from './known-tools.ts';

/** What a call has of its client. */
interface CallPorts {
  readonly life: Life;
  readonly setting: ClientSetting;
  readonly tools: KnownTools;
  /** Whether the server of the next connection is the one of the last, so that it knows the keys of calls. */
  readonly keepsKeys: boolean;
}

/** Sends requests where the server declared what they need. */
export interface Asker {
  ask(capability: string | undefined, method: string, params?: Fields, options?: CallOptions): Promise<Done>;
}

const noOptions: CallOptions = {};

export class Calls implements Asker, CallPorts {
  readonly life: Life;
  readonly setting: ClientSetting;
  readonly tools: KnownTools;
  readonly keepsKeys: boolean;

  constructor(life: Life, setting: ClientSetting, tools: KnownTools, keepsKeys: boolean) {
    this.life = life;
    this.setting = setting;
    this.tools = tools;
    this.keepsKeys = keepsKeys;
  }

  async ask(capability: string | undefined, method: string, params?: Fields, given?: CallOptions): Promise<Done> {
    checkCall(method, params, given);
    const options = given ?? noOptions;
    this.life.enter();
    try {
      return options.totalMs === undefined
        ? await this.#sendUntilSettled(capability, method, params, options)
        : await within(this.setting.deadlines, method, options.totalMs, options.signal, (signal) =>
            this.#sendUntilSettled(capability, method, params, { ...options, signal }),
          );
    } finally {
      this.life.leave();
    }
  }

  async #sendUntilSettled(
    capability: string | undefined,
    method: string,
    params: Fields | undefined,
    options: CallOptions,
  ): Promise<Done> {
    const { life } = this;
    let pausedMs = 0;
    let furthest = Number.NEGATIVE_INFINITY;
    for (let sends = 1; ; sends++) {
      const timeoutMs = options.timeoutMs ?? this.setting.timeoutMs;
      const line = life.line ?? (await life.reach({ timeoutMs, signal: options.signal }));
      if (capability !== undefined) need(line.capabilities, capability);
      const sending = new Sending(line, method, this, options, furthest);
      try {
        const done = await sending.send(params);
        life.served();
        return done;
      } catch (error) {
        if (error instanceof RpcError) life.served();
        furthest = sending.furthest;
        pausedMs += await sending.judge(error, sends, mayRepeat(this, method, params, options), pausedMs);
      }
    }
  }
}

/** One time that a call is sent. */
class Sending {
  readonly #line: Line;
  readonly #method: string;
  readonly #ports: CallPorts;
  readonly #options: CallOptions;
  #id: RequestId | undefined;
  /** Whether the server has asked back. A call that has begun is not begun again unasked. */
  #wasAsked = false;
  /** What was told of the call so far, also when it was sent before: progress never goes back. */
  furthest: number;

  constructor(line: Line, method: string, ports: CallPorts, options: CallOptions, furthest: number) {
    this.#line = line;
    this.#method = method;
    this.#ports = ports;
    this.#options = options;
    this.furthest = furthest;
  }

  async send(params: Fields | undefined): Promise<Done> {
    const { progress, timeoutMs } = this.#ports.setting;
    const { timeoutMs: own = timeoutMs, signal } = this.#options;
    const request: CallingOptions = {
      timeoutMs: own,
      ...(signal !== undefined && { signal }),
      sent: (id) => {
        this.#id = id;
        this.#tell('a request that is sent', () => this.#options.sent?.(id));
      },
      asked: () => {
        this.#wasAsked = true;
      },
    };
    if (isQuick(this.#method) && this.#options.onProgress === undefined)
      return this.#line.conversation.call(this.#method, joined(params, this.#options, undefined), request);
    const token = progress.begin((told) => this.#heard(told));
    try {
      return await this.#line.conversation.call(this.#method, joined(params, this.#options, token), request);
    } finally {
      progress.end(token);
    }
  }

  /** A server that tells how far it is has not gone silent. */
  #heard(told: Told): void {
    if (this.#id !== undefined) this.#line.conversation.renew(this.#id, this.#ports.setting.totalMs);
    // A call that was asked back begins anew and tells again what was told.
    if (told.progress <= this.furthest) return;
    this.furthest = told.progress;
    this.#tell('progress', () => this.#options.onProgress?.(told));
  }

  #tell(what: string, tell: () => unknown): void {
    this.#ports.setting.tellUser(what, tell);
  }

  /** Throws what the caller has to hear; else waits until the call can be sent again, and tells how long it paused. */
  async judge(error: unknown, sends: number, repeatable: boolean, pausedMs: number): Promise<number> {
    const { life } = this.#ports;
    const fate = this.#wasAsked && fateOf(error) === 'unsent' ? 'unknown' : fateOf(error);
    if (fate === 'settled' && !life.isClosing && isDoubt(error) && !(await stillServes(this.#line))) {
      this.#line.close(replaced(error));
      if (!this.#wasAsked && sends < maxTries) return this.#lineEnded();
    }
    const { isClosing } = life;
    const isLastWord = fate === 'settled' && !(repeatable && isPassing(error));
    if (isLastWord || (isClosing && isCutOff(error))) throw error;
    if (isDown(error) && !isClosing) this.#line.close(error as Error);
    if (fate === 'unknown' && !repeatable) throw outcomeUnknown(this.#method, this.#id, error as TenonError);
    if (life.isOver || sends >= maxTries) throw error;
    if (this.#line.isOver || isDown(error)) return this.#lineEnded();
    return isUnavailable(error) ? this.#pause(error, sends, pausedMs) : 0;
  }

  async #lineEnded(): Promise<number> {
    await this.#line.ended;
    return 0;
  }

  /** What cannot serve now may need a moment, and may say how long. All in all a call has its own time for that. */
  async #pause(error: TenonError, sends: number, pausedMs: number): Promise<number> {
    const ms = pauseMs(sends, error);
    if (!isPassing(error) || pausedMs + ms > (this.#options.timeoutMs ?? this.#ports.setting.timeoutMs)) throw error;
    const { life } = this.#ports;
    await life.pause(ms, this.#options.signal);
    if (life.isOver) throw error;
    return ms;
  }
}

/** Whether it was the end of the connection, and not the way to the server, that ended a call. */
const isCutOff = (error: unknown): boolean => error instanceof TenonError && error.code === 'connection-closed';

/** Whether a call may be sent a second time when nobody knows what became of the first. */
function mayRepeat(ports: CallPorts, method: string, params: Fields | undefined, options: CallOptions): boolean {
  if (options.safe !== undefined) return options.safe;
  if ((options.idempotencyKey !== undefined && ports.keepsKeys) || isHarmless(method)) return true;
  return method === 'tools/call' && ports.tools.mayRepeat(params?.name as string);
}

/** Progress shows that a server is alive, so it is asked for also where nobody listens, but for what is done at once. */
const quick: ReadonlySet<string> = new Set(['ping', 'logging/setLevel', 'completion/complete']);
const isQuick = (method: string): boolean => quick.has(method) || method.endsWith('/list');

/** The params with what goes along in `_meta`. */
function joined(
  params: Fields | undefined,
  { meta, idempotencyKey }: CallOptions,
  progressToken: number | undefined,
): Fields | undefined {
  if (meta === undefined && idempotencyKey === undefined && progressToken === undefined) return params;
  const whole: Fields = { ...(isRecord(params?._meta) && params._meta), ...meta };
  if (idempotencyKey !== undefined) whole[keyName] = idempotencyKey;
  if (progressToken !== undefined) whole.progressToken = progressToken;
  return { ...params, _meta: whole };
}

/** Gives a call up when all of its time has passed, however lively it was. */
async function within<T>(
  deadlines: Deadlines,
  method: string,
  totalMs: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const tooLate = new TenonError('timeout', `${method} was not done within ${totalMs} ms in all.`, {
    details: { method, totalMs },
  });
  const deadline = deadlines.add(totalMs, () => late.abort(tooLate));
  try {
    return await call(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } catch (error) {
    throw late.signal.aborted && !signal?.aborted ? tooLate : error;
  } finally {
    deadlines.cancel(deadline);
  }
}
