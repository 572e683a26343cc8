/** The requests of the server to the client of one session: each is sent on one of its streams, the response comes as a POST of its own. */
import { RpcError, type TenonError } from '../../../jsonrpc/errors.ts';
import type { ErrorMessage, RequestId, ResultMessage } from '../../../jsonrpc/message.ts';
import { Outbox } from '../../../jsonrpc/outbox.ts';
import { sentReason } from '../../../protocol/cancellation.ts';
import type { InputRequest, Notification } from '../../../protocol/neutral.ts';
import { Progress, type ProgressUpdate } from '../../../protocol/progress.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { requestClient, withToken } from '../../transport/peer-link.ts';
import type { EventOutput } from '../reply/event-output.ts';
import type { ReplyHost } from '../reply/reply.ts';
import type { Dropped } from '../reporting/dropped.ts';
import { addressed, type NodeBus, readAddress, type SessionMessage } from './nodes/node-bus.ts';

/** What the requests of all sessions of one endpoint share. */
export interface RequestsHost extends ReplyHost {
  /** How long the client has to respond. */
  readonly inputMs: number;
  readonly nodeBus: NodeBus | undefined;
  readonly dropped: Dropped;
}

/** The session, as its requests need it. */
interface RequestsSession {
  readonly key: string;
  readonly host: RequestsHost;
  readonly session: { revision(): Revision | undefined };
  notify(revision: Revision, notification: Notification): void;
}

/** Responses and progress may arrive at another endpoint than the one that sent the request: they are passed on to it. */
export class SessionRequests {
  readonly #session: RequestsSession;
  #outbox: Outbox | undefined;
  #progress: Progress | undefined;
  /** The stream of the request that is being sent. */
  #output: EventOutput | undefined;

  constructor(session: RequestsSession) {
    this.#session = session;
  }

  send(
    output: EventOutput,
    revision: Revision,
    request: InputRequest,
    signal: AbortSignal,
    onProgress: ((progress: ProgressUpdate) => void) | undefined,
  ): Promise<unknown> {
    const { inputMs, nodeBus } = this.#session.host;
    const send = (one: InputRequest): Promise<unknown> =>
      requestClient((method, params, options) => this.#request(output, method, params, options), revision, one, {
        timeoutMs: inputMs,
        signal,
      });
    if (onProgress === undefined) return send(request);
    return this.#progressReports().during(onProgress, (token) => send(withToken(request, addressed(token, nodeBus))));
  }

  /** The client reports progress on a request. */
  progressed(notification: Notification): void {
    const { key, host } = this.#session;
    const { to, own } = readAddress(notification.params?.progressToken);
    const inner = { ...notification, params: { ...notification.params, progressToken: own } };
    if (to === undefined || to === host.nodeBus?.node) this.#progress?.receive(inner);
    else host.nodeBus?.publish(key, { kind: 'progress', to, notification: inner });
  }

  /** The client responds to a request. */
  receiveResponse(message: ResultMessage | ErrorMessage): void {
    const { key, host } = this.#session;
    const { to, own } = readAddress(message.id);
    const inner = { ...message, id: own as RequestId };
    if (to === undefined || to === host.nodeBus?.node) this.#takeResponse(inner);
    else host.nodeBus?.publish(key, { kind: 'answered', to, message: inner });
  }

  /** Another endpoint passes on what a client sent there. */
  onNodeMessage(message: Extract<SessionMessage, { kind: 'answered' | 'progress' }>): void {
    if (message.to !== this.#session.host.nodeBus?.node) return;
    if (message.kind === 'answered') this.#takeResponse(message.message);
    else this.#progress?.receive(message.notification);
  }

  /** Rejects all requests that wait. */
  close(reason: TenonError): void {
    this.#outbox?.close(reason);
  }

  #request(output: EventOutput, ...given: Parameters<Outbox['request']>): Promise<unknown> {
    this.#output = output;
    try {
      return this.#openOutbox().request(...given);
    } finally {
      this.#output = undefined;
    }
  }

  #openOutbox(): Outbox {
    const session = this.#session;
    const { serving, nodeBus, dropped } = session.host;
    this.#outbox ??= new Outbox(1000, serving.deadlines, {
      sendRequest: ({ id, ...message }) =>
        this.#output?.event(JSON.stringify({ ...message, id: addressed(id, nodeBus) })),
      abandoned: (id, _method, reason) => {
        const revision = session.session.revision();
        if (revision === undefined) return;
        const requestId = addressed(id, nodeBus);
        const params = { requestId, reason: sentReason(reason) };
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

  #takeResponse(message: ResultMessage | ErrorMessage): void {
    if (message.id === undefined || message.id === null) return;
    if (this.#outbox === undefined) this.#session.host.dropped.unknown++;
    if ('result' in message) return this.#outbox?.resolve(message.id, message.result);
    this.#outbox?.reject(message.id, RpcError.answered(message.error));
  }
}
