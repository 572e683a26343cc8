/** The requests of the server to the client of one session: each is sent on one of its streams, the response comes as a POST of its own. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { Outbox } from '../../../jsonrpc/outbox.ts';
import { type TenonError } from '../../../lib/errors/tenon-error.ts';
import { sentReason } from '../../../protocol/cancellation.ts';
import type { InputRequest, Notification } from '../../../protocol/neutral.ts';
import { Progress, type ProgressUpdate } from '../../../protocol/progress.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { RecordFields } from '../../../store/session-store.ts';
import type { Store } from '../../../store/store.ts';
import type { TaskRequest } from '../../ports/link.ts';
import { TaskHints } from '../../server-requests/task-hints.ts';
import { type ClientPort, requestClient, withToken } from '../../transport/client-requests.ts';
import type { Refused } from '../message.ts';
import type { EventOutput } from '../reply/event-output.ts';
import type { ReplyHost } from '../reply/reply.ts';
import type { Dropped } from '../reporting/dropped.ts';
import { addressOf, readAddress, tokenAddressOf } from './nodes/addresses.ts';
import type { NodeBus, SessionMessage } from './nodes/node-bus.ts';
import { type Answer, answersFor, PassedAnswers } from './nodes/passed-answers.ts';
import { StorePoll } from './nodes/store-poll.ts';
import { storeFailed } from './session-record.ts';

/**
 * Requests of the server that wait for a session.
 * @limit HTTP
 * @beyond the server request fails
 * @code queue-full
 */
const maxPending = 1000;

/**
 * Characters of the message of a progress report that is passed on to another node.
 * @limit HTTP
 * @beyond the rest is cut off
 */
const maxProgressChars = 1000;

/** Progress with what is read of it: nodes store what they pass on, or hold it until the others have it. */
function shortProgress({ method, params = {} }: Notification): Notification {
  const { progressToken, progress, total, message } = params;
  const short = typeof message === 'string' ? message.slice(0, maxProgressChars) : undefined;
  return { method, params: { progressToken, progress, total, message: short } };
}

/** What the requests of all sessions of one endpoint share. */
export interface RequestsHost extends ReplyHost {
  readonly store: Store;
  /** How long the client has to respond. */
  readonly inputMs: number;
  readonly nodeBus: NodeBus | undefined;
  readonly dropped: Dropped;
  now(): number;
}

/** The session, as its requests need it. */
interface RequestsSession {
  readonly key: string;
  readonly host: RequestsHost;
  readonly session: { revision(): Revision | undefined };
  /** Counts bytes for its caller; returns why it may not hold more. */
  hold(bytes: number): RpcError | undefined;
  notify(revision: Revision, notification: Notification): void;
}

/** Responses and progress may arrive at another endpoint than the one that sent the request: they are passed on to it. */
export class SessionRequests {
  readonly #session: RequestsSession;
  /** What the ids of its requests begin with, if other endpoints share the store. */
  readonly #address: string;
  #outbox: Outbox | undefined;
  #progress: Progress | undefined;
  /** The stream of the request that is being sent. */
  #output: EventOutput | undefined;
  /** Notifications of tasks that arrive at another endpoint are not passed on: the next read finds what has changed. */
  readonly #hints = new TaskHints();
  /** Reads answers that arrived at other endpoints; absent without those. */
  readonly #answers: StorePoll | undefined;
  /** Answers for other endpoints; created with the first. */
  #passed: PassedAnswers | undefined;

  constructor(session: RequestsSession) {
    this.#session = session;
    const { nodeBus, serving, warn } = session.host;
    this.#address = nodeBus === undefined ? '' : addressOf(nodeBus.node, nodeBus.nextSerial());
    this.#answers =
      nodeBus &&
      new StorePoll({
        deadlines: serving.deadlines,
        isWaiting: () => this.isWaiting,
        read: () => this.#takeAnswers(),
        failed: (cause) => warn(storeFailed(cause)),
      });
  }

  /** Whether a request waits for its answer. */
  get isWaiting(): boolean {
    return (this.#outbox?.size ?? 0) > 0;
  }

  send(
    output: EventOutput,
    revision: Revision,
    request: InputRequest,
    signal: AbortSignal,
    onProgress: ((progress: ProgressUpdate) => void) | undefined,
    task: TaskRequest | undefined,
  ): Promise<unknown> {
    const { inputMs, nodeBus, serving } = this.#session.host;
    const port: ClientPort = {
      inputMs,
      deadlines: serving.deadlines,
      hints: this.#hints,
      request: (method, params, options) => this.#request(output, method, params, options),
    };
    const send = (one: InputRequest): Promise<unknown> => requestClient(port, revision, one, signal, task);
    if (onProgress === undefined) return send(request);
    const addressed = (token: number) => (nodeBus === undefined ? token : tokenAddressOf(nodeBus.node) + token);
    return this.#progressReports().during(onProgress, (token) => send(withToken(request, addressed(token))));
  }

  /** The client reports progress on a request. Resolves once it is passed on: a client that sends faster than that waits. */
  async progressed(notification: Notification): Promise<void> {
    const { key, host } = this.#session;
    const { nodeBus, warn } = host;
    const { node, own } = readAddress(notification.params?.progressToken);
    const inner = { ...notification, params: { ...notification.params, progressToken: own } };
    if (node === undefined || nodeBus === undefined || node === nodeBus.node) return this.#progress?.receive(inner);
    const passed: SessionMessage = { kind: 'progress', to: node, notification: shortProgress(inner) };
    await nodeBus.announce(key, passed).catch((cause: unknown) => warn(storeFailed(cause)));
  }

  /** The client reports the status of a task that it runs. */
  taskChanged(notification: Notification): void {
    this.#hints.receive(notification);
  }

  /** The client responds to a request. Resolves once the answer cannot be lost, or with why it was not accepted. */
  async receiveResponse(message: Answer): Promise<Refused | undefined> {
    const { key, host } = this.#session;
    const { nodeBus } = host;
    const { node, address, own } = readAddress(message.id);
    if (node === undefined || nodeBus === undefined || node === nodeBus.node)
      return void this.#takeResponse(address, own as RequestId, message);
    const outcome = await this.#passedAnswers().pass(message);
    if (outcome !== 'stored') return outcome === 'full' ? tooManyAnswers : sessionEnded;
    nodeBus.publish(key, { kind: 'answered', to: node });
    return undefined;
  }

  /** Another endpoint passes on what a client sent there. */
  onNodeMessage(message: Extract<SessionMessage, { kind: 'answered' | 'progress' }>): void {
    if (message.to !== this.#session.host.nodeBus?.node) return;
    if (message.kind === 'progress') return this.#progress?.receive(message.notification);
    if (this.isWaiting) this.#answers?.now();
  }

  /** Takes the answers that are in the record of the session; returns the fields to delete. */
  takeFrom(fields: RecordFields): Readonly<Record<string, undefined>> {
    const { answers, taken } = answersFor(fields, this.#address);
    for (const [own, answer] of answers)
      if (this.#outbox?.isPending(Number(own))) this.#takeResponse(this.#address, Number(own), answer);
    return taken;
  }

  /** Rejects all requests that wait. */
  close(reason: TenonError): void {
    this.#outbox?.close(reason);
    this.#answers?.stop();
    this.#passed?.stop();
  }

  #passedAnswers(): PassedAnswers {
    const session = this.#session;
    const { host } = session;
    const { store, inputMs, serving, warn } = host;
    this.#passed ??= new PassedAnswers({
      sessions: store.sessions,
      key: session.key,
      inputMs,
      deadlines: serving.deadlines,
      now: () => host.now(),
      hold: (bytes) => session.hold(bytes),
      failed: (cause) => warn(storeFailed(cause)),
    });
    return this.#passed;
  }

  async #takeAnswers(): Promise<void> {
    const { key, host } = this.#session;
    const fields = await host.store.sessions.read(key);
    const taken = this.takeFrom(fields ?? {});
    if (Object.keys(taken).length > 0) await host.store.sessions.update(key, taken);
  }

  #request(output: EventOutput, ...args: Parameters<Outbox['request']>): Promise<unknown> {
    this.#output = output;
    try {
      return this.#openOutbox().request(...args);
    } finally {
      this.#output = undefined;
      this.#answers?.wait();
    }
  }

  #openOutbox(): Outbox {
    const session = this.#session;
    const { serving, dropped, nodeBus } = session.host;
    const addressed = (id: RequestId): RequestId => (nodeBus === undefined ? id : this.#address + id);
    this.#outbox ??= new Outbox(maxPending, serving.deadlines, {
      sendRequest: ({ id, ...message }) => this.#output?.event(JSON.stringify({ ...message, id: addressed(id) })),
      abandoned: (id, _method, reason) => {
        const revision = session.session.revision();
        if (revision === undefined) return;
        const params = { requestId: addressed(id), reason: sentReason(reason) };
        session.notify(revision, { method: 'notifications/cancelled', params });
      },
      dropped: (why) => dropped[why]++,
    });
    return this.#outbox;
  }

  #progressReports(): Progress {
    this.#progress ??= new Progress(this.#session.host.dropped);
    return this.#progress;
  }

  #takeResponse(address: string, id: RequestId | null | undefined, message: Answer): void {
    if (id === undefined || id === null) return;
    if (this.#outbox === undefined || address !== this.#address) {
      this.#session.host.dropped.unknown++;
      return;
    }
    if ('result' in message) return this.#outbox.resolve(id, message.result);
    this.#outbox.reject(id, RpcError.answered(message.error));
  }
}

const tooManyAnswers: Refused = {
  status: 503,
  text: 'Too many answers of this session wait for other nodes: try again later',
  headers: { 'retry-after': '1' },
};
const sessionEnded: Refused = { status: 404, text: 'Session not found' };
