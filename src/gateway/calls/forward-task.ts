/** Passes a call on that runs as a task of its upstream: a step has the ID of that task, so that any later run follows it. */
import { createHash } from 'node:crypto';
import { isOutage } from '../../client/retry/failure-outcome.ts';
import { type CallPorts, ForwardedCall, requestKeys, type StoredRequests } from '../../forwarding/forwarded-call.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import { notStartedData } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import { relatedTask } from '../../protocol/tasks/related-task.ts';
import { done, type Invocation } from '../../server/features/invocation.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import type { Lease } from '../connections/pool-ports.ts';
import { repeatOf } from './call-identity.ts';
import { callerError } from './errors.ts';
import { checked, type ForwardPorts, optionsOf, parkedCall } from './forward-ports.ts';
import { type CallHandling, UpstreamCall } from './upstream-call.ts';

/** The step that creates the task at the upstream. */
const taskStep = 'tenon.upstream-task';

/** Steps that store which requests of the upstream were answered. */
const givenSteps = 'tenon.given.';

/** How often a call that is no task of its caller looks for the task again, after its connection was lost. */
const maxFollows = 3;

/** How long an upstream may take to cancel a task. */
const cancelMs = 5000;

/** What the step stores: an upstream may answer at once. */
type Begun = { readonly taskId: string } | { readonly result: Fields };

/** Whether an earlier run has begun a task at the upstream. */
export const hasUpstreamTask = ({ ports, resumption }: Invocation): boolean =>
  ports.task !== undefined || (resumption !== undefined && Object.hasOwn(resumption.journal.steps, taskStep));

export async function forwardTask(ports: ForwardPorts, invocation: Invocation, params: Fields): Promise<Settled> {
  const parked = parkedCall(ports, invocation);
  const result = parked ? parked.continue(invocation.context) : new TaskCall(ports, invocation, params).result();
  return done(withoutTask(await result));
}

/** The caller knows nothing of the task of the upstream. */
function withoutTask(result: Fields): Fields {
  if (!isRecord(result._meta) || !(relatedTask in result._meta)) return result;
  const { _meta, ...others } = result;
  const { [relatedTask]: _, ...meta } = _meta as Fields;
  return Object.keys(meta).length === 0 ? others : { ...others, _meta: meta };
}

class TaskCall {
  readonly #ports: ForwardPorts;
  readonly #invocation: Invocation;
  readonly #params: Fields;
  /** The task at the upstream, once it is known; nothing if there is none. */
  readonly #created = createDeferred<string | undefined>();

  constructor(ports: ForwardPorts, invocation: Invocation, params: Fields) {
    this.#ports = ports;
    this.#invocation = invocation;
    this.#params = params;
  }

  /** Whether it is a run of a task of the caller, which another process may continue. */
  get #isTask(): boolean {
    return this.#invocation.ports.task !== undefined;
  }

  async result(): Promise<Fields> {
    const { context } = this.#invocation;
    /** The result, if the task was created by this run. */
    let own: Promise<Fields> | undefined;
    const stored = createDeferred<void>();
    stored.promise.catch(() => {});
    let begun: Begun;
    try {
      begun = (await context.step(
        taskStep,
        async () => {
          const created = createDeferred<Begun>();
          const lease = await this.#lend();
          let sent: Promise<unknown> | undefined;
          own = this.#send(lease, (connection, options) => {
            sent = this.#create(connection, options, async (taskId) => {
              this.#created.resolve(taskId);
              created.resolve({ taskId });
              await stored.promise;
            });
            return sent;
          });
          // A run that is cancelled, or left to another process, may just be creating the task.
          const first = own.catch((error: unknown) => (sent ?? Promise.reject(error)) as Promise<Fields>);
          first.then((result) => created.resolve({ result }), created.reject);
          first.catch(() => {}).finally(() => this.#created.resolve(undefined));
          return created.promise;
        },
        // A task that may exist is not created a second time.
        { ifUncertain: 'fail' },
      )) as Begun;
    } catch (error) {
      stored.reject(error);
      throw this.#isTask ? this.#asFinal(error) : error;
    }
    stored.resolve();
    if ('result' in begun) return begun.result;
    const { taskId } = begun;
    this.#created.resolve(taskId);
    const followed = own as Promise<Fields> | undefined;
    if (followed === undefined) return this.#follow(taskId);
    return followed.catch((error: unknown) => {
      if (!this.#isLost(error)) throw error;
      return this.#follow(taskId);
    });
  }

  /** Follows the task over another connection, if one is lost. */
  async #follow(taskId: string): Promise<Fields> {
    for (let follows = 1; ; follows++) {
      try {
        const lease = await this.#lend();
        const { callMs } = this.#ports;
        return await this.#send(lease, ({ client }, handling) =>
          client.tasks.result(taskId, { ...handling, timeoutMs: callMs }),
        );
      } catch (error) {
        if (!this.#isLost(error)) throw error;
        // The engine runs a task again that could not begin.
        if (this.#isTask) throw rpcError('connection-error', this.#unreachable, notStartedData);
        if (follows >= maxFollows) throw error;
      }
    }
  }

  get #unreachable(): string {
    return `The upstream "${this.#ports.upstream}" is not reachable.`;
  }

  #isLost(error: unknown): boolean {
    return !this.#invocation.context.signal.aborted && isOutage(error);
  }

  #create(
    connection: UpstreamConnection,
    handling: CallHandling,
    onTask: (taskId: string) => Promise<void>,
  ): Promise<unknown> {
    const { name, arguments: args = {} } = this.#params;
    return connection.client.tools.call(String(name), args as Fields, {
      ...optionsOf(this.#ports, this.#invocation, connection),
      ...handling,
      task: true,
      onTask: ({ taskId }) => onTask(taskId),
    });
  }

  async #lend(): Promise<Lease> {
    const { context, call } = this.#invocation;
    const lease = await this.#ports.lend(context.by);
    if (lease.connection.lock !== undefined) await checked(lease, call.method, this.#params);
    if (!context.signal.aborted) return lease;
    lease.release();
    throw context.signal.reason;
  }

  async #send(
    { connection, release }: Lease,
    send: (connection: UpstreamConnection, handling: CallHandling) => Promise<unknown>,
  ): Promise<Fields> {
    const { uris, parked, dropped, upstream, tasks } = this.#ports;
    const { context, call } = this.#invocation;
    const { callId } = context;
    const remote = new UpstreamCall({
      send: async (_method, _params, handling) => ({
        resultType: 'complete',
        result: (await send(connection, handling)) as Fields,
      }),
      uris,
      // A caller cancels with an error. The engine ends a run by a text, and says later whether the task is over.
      isTakenOver: () => this.#isTask && typeof context.signal.reason === 'string',
      hasLogs: connection.isForOneOwner,
      completedLate: (elicitationId) => connection.elicitationCompleted(elicitationId),
      cancelTask: async () => {
        // It may be just being created.
        const late = AbortSignal.timeout(cancelMs);
        late.addEventListener('abort', () => this.#created.resolve(undefined));
        const taskId = await this.#created.promise;
        if (taskId !== undefined) await connection.client.tasks.cancel(taskId, { timeoutMs: cancelMs });
      },
      onOver: () => tasks.left(callId, remote),
    });
    tasks.follow(callId, remote);
    const lease = {
      bridged: { instance: remote, answeredRoots: (roots: Fields) => connection.answeredRoots(roots) },
      release: () => release(remote.isCancelled),
    };
    const calls: CallPorts = { parked, dropped, isTask: this.#isTask, requests: this.#requests() };
    await connection.useLevel(context.by.caller.logLevel);
    const forwarded = new ForwardedCall(calls, lease, repeatOf(this.#invocation, upstream));
    return forwarded.begin(context, call.method, this.#params, {});
  }

  /**
   * Another process that follows the task gets the open request again. Its key has its content and how often the same was
   * answered before: the answer to it is used, and never for the next one.
   */
  #requests(): StoredRequests {
    const given = Object.keys(this.#invocation.context.begun.steps).filter((step) => step.startsWith(givenSteps));
    const counts = new Map<string, number>();
    return {
      keyOf: ({ method, params }) => {
        const { _meta, ...content } = params;
        const digest = createHash('sha256')
          .update(canonicalJson([method, content]))
          .digest('base64url')
          .slice(0, 22);
        const before = given.filter((step) => step.startsWith(`${givenSteps}${requestKeys}${digest}-`)).length;
        const count = (counts.get(digest) ?? before) + 1;
        counts.set(digest, count);
        return `${requestKeys}${digest}-${count}`;
      },
      given: async (ctx, key) => {
        await ctx.step(`${givenSteps}${key}`, () => true);
      },
    };
  }

  /** A task that could not begin ends with its error: nothing waits for an upstream that is not there. */
  #asFinal(error: unknown): unknown {
    const { upstream, uris } = this.#ports;
    const shown = callerError(upstream, error, uris.outward);
    if (!(shown instanceof RpcError) || shown.reason !== 'connection-error') return error;
    return new RpcError(shown.code, shown.message, undefined, shown.reason);
  }
}
