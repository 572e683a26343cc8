/** One connection to an upstream: its client, the sessions of callers that use it, and what it sends outside calls. */
import type { HandlerContext, PassedRequests } from '../../client/answers/handlers.ts';
import type { Client } from '../../client/api/client.ts';
import type { LogEntry } from '../../client/api/options.ts';
import { OutsideRequests } from '../../forwarding/outside-requests.ts';
import type { Reply } from '../../forwarding/remote-call.ts';
import { fromReply } from '../../forwarding/reply-errors.ts';
import type { RpcError } from '../../jsonrpc/errors.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { ProcessWatch } from '../../node/child/command-target.ts';
import type { Principal } from '../../ports/principal.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import { isWithoutSessions } from '../../protocol/revisions/revisions.ts';
import { levels } from '../../server/checks/context-arguments.ts';
import type { SourceSession } from '../../server/ports/source-session.ts';
import { ConnectionChanges } from './changes.ts';
import type { ForwardedFeature } from './owner.ts';
import type { ConnectionLock } from './upstream-lock.ts';

export interface ConnectionPorts {
  /** Whose it is. */
  readonly principal: Principal | undefined;
  /** The features that are declared on it. */
  readonly features: readonly ForwardedFeature[];
  /** Whether all callers share it. */
  readonly isShared: boolean;
  /** Whether requests of the upstream may name no call: they come on the only stream of the connection. */
  readonly isPipe: boolean;
  dropped(method: string, reason: string): void;
  /** The lock of a connection; absent if nothing has to be approved. */
  readonly lockOf?: ((client: Client) => ConnectionLock) | undefined;
}

/** The level that sessions begin with. */
const usualLevel: LoggingLevel = 'info';

export class UpstreamConnection {
  readonly #ports: ConnectionPorts;
  /** The sessions of callers that have used it, by the keys of their connections. */
  readonly #sessions = new Map<string, SourceSession>();
  readonly #outside = new OutsideRequests();
  #opened:
    | { readonly client: Client; readonly changes: ConnectionChanges; readonly lock: ConnectionLock | undefined }
    | undefined;
  readonly #joined = createDeferred();
  readonly #ended = createDeferred();
  /** Processes that run for it, and whether it is closed. */
  #processes = 0;
  #isClosed = false;
  #nextId = 0;
  #level: LoggingLevel = usualLevel;
  /** Whether it is closed from here, and not lost. */
  isLeft = false;
  #principal: Principal | undefined;

  constructor(ports: ConnectionPorts) {
    this.#ports = ports;
    this.#principal = ports.principal;
  }

  /** As the last call had it: with the credentials of that call. Absent where all callers share the connection. */
  get principal(): Principal | undefined {
    return this.#principal;
  }

  /** A call is about to use it. */
  calledBy(principal: Principal | undefined): void {
    if (this.#ports.principal !== undefined) this.#principal = principal;
  }

  opened(client: Client): void {
    this.#opened = { client, changes: new ConnectionChanges(client), lock: this.#ports.lockOf?.(client) };
  }

  /** Resolves when nothing of it runs: a process may end later than its connection. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get client(): Client {
    return this.#open.client;
  }

  get changes(): ConnectionChanges {
    return this.#open.changes;
  }

  /** Absent if nothing has to be approved. */
  get lock(): ConnectionLock | undefined {
    return this.#open.lock;
  }

  get #open() {
    if (this.#opened === undefined) throw new TypeError('The connection is not open yet.');
    return this.#opened;
  }

  /** Whether the upstream asks in its results, and not by requests. */
  get isExchange(): boolean {
    return isWithoutSessions(this.client.protocolVersion);
  }

  get isPipe(): boolean {
    return this.#ports.isPipe;
  }

  get isReady(): boolean {
    return this.#opened?.client.connection.state === 'ready';
  }

  /** Whether a call must not run beside one of another caller: a request of the upstream could be for either. */
  get isExclusive(): boolean {
    const { isPipe, features } = this.#ports;
    return isPipe && features.length > 0 && !this.isExchange;
  }

  /** Whether a message that names no call belongs to the only call: a late one could be for another caller. */
  get isForOneOwner(): boolean {
    return !(this.#ports.isShared && this.#ports.isPipe);
  }

  /** A caller uses it from now on. */
  join(key: string | undefined, session: SourceSession | undefined): void {
    const isOpen = session !== undefined && !session.isEnded;
    if (key !== undefined && isOpen && !this.#ports.isShared) this.#sessions.set(key, session);
    this.#joined.resolve();
  }

  left(key: string): void {
    this.#sessions.delete(key);
  }

  uses(key: string | undefined): boolean {
    return key !== undefined && this.#sessions.has(key);
  }

  /** The caller has answered with its roots in a call. */
  answeredRoots(roots: Fields): void {
    if (!this.#ports.isShared) this.#outside.roots = roots;
  }

  /** A caller may report it without having declared roots. */
  rootsChanged(): void {
    if (this.#ports.features.includes('roots')) this.client.sendRootsListChanged();
  }

  /** A session of the upstream has one level: the lowest that a caller wants. One that refuses it sends what it sends. */
  async useLevel(level: LoggingLevel | undefined): Promise<void> {
    const isLower = level !== undefined && levels.indexOf(level) < levels.indexOf(this.#level);
    if (!isLower || this.isExchange || this.client.capabilities.logging === undefined) return;
    this.#level = level;
    await this.client
      .setLogLevel(level)
      .catch(() => this.#ports.dropped('logging/setLevel', 'The upstream refused it.'));
  }

  /** Log messages that belong to no call go to the session that is the only one. */
  onLog({ level, logger, data }: LogEntry): void {
    const method = 'notifications/message';
    const params = { level, data, ...(logger !== undefined && { logger }) };
    const session = this.#session;
    if (session === undefined) this.#ports.dropped(method, 'It belongs to no call in progress.');
    else session.changed({ kind: 'log', level, message: { method, params } });
  }

  /** Requests that belong to no call, or may belong to several of one session. */
  get passed(): PassedRequests {
    return {
      answer: (request, context) => this.#answerOutside(request, context),
      elicitationCompleted: (elicitationId) => this.elicitationCompleted(elicitationId),
    };
  }

  /** Its call has ended: the client of the only session knows the elicitation. */
  elicitationCompleted(elicitationId: string): void {
    const method = 'notifications/elicitation/complete';
    if (this.#session === undefined) this.#ports.dropped(method, 'It belongs to no call in progress.');
    else this.#session.changed({ kind: 'notification', extension: undefined, method, params: { elicitationId } });
  }

  closed(): void {
    this.#outside.close();
    this.#sessions.clear();
    this.#isClosed = true;
    this.#joined.resolve();
    this.#lookForEnd();
  }

  /** Follows the processes that are started for it. */
  get processWatch(): ProcessWatch {
    return {
      started: () => void this.#processes++,
      ended: () => {
        this.#processes--;
        this.#lookForEnd();
      },
    };
  }

  #lookForEnd(): void {
    if (this.#isClosed && this.#processes === 0) this.#ended.resolve();
  }

  /** The only one: what belongs to no call never reaches one of several. */
  get #session(): SourceSession | undefined {
    const [only, another] = this.#sessions.values();
    return another === undefined ? only : undefined;
  }

  /** One that is not open yet is compared before its first caller joins. */
  async #isApproved(): Promise<boolean> {
    const admitted = this.#opened?.lock?.admit().then(
      () => true,
      () => false,
    );
    return (await admitted) ?? true;
  }

  async #answerOutside({ method, params = {} }: InputRequest, { signal }: HandlerContext): Promise<Fields> {
    if (!(await this.#isApproved())) throw notApproved();
    // Most servers ask for roots at once; the connection is still being opened for its first caller.
    await this.#joined.promise;
    const id = ++this.#nextId;
    const reply = await new Promise<Reply>((resolve) => {
      const instance = { reply: (_id: string | number, answer: Reply) => resolve(answer) };
      const { dropped } = this.#ports;
      signal.addEventListener('abort', () => this.#outside.withdrawn(id), { once: true });
      if (this.#session === undefined) this.#outside.roots ??= { roots: [] };
      this.#outside.send({ id, method, params }, { instance, session: this.#session, dropped });
    });
    if ('error' in reply) throw fromReply(reply.error);
    return reply.result;
  }
}

const notApproved = (): RpcError => rpcError('invalid-request', 'This server was not approved: it gets no answers.');
