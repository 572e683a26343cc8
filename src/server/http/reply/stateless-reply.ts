/** Replies to requests of the session lifecycle without a session: each is answered, and nothing is stored. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../../jsonrpc/message.ts';
import type { Fields } from '../../../lib/values/is.ts';
import { mapped } from '../../../lib/values/maybe-promise.ts';
import { rpcError } from '../../../protocol/errors.ts';
import type { Implementation, ServerCapabilities } from '../../../protocol/generated/types/records.ts';
import type { Done, Incoming, Notification } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { newestSession } from '../../../protocol/revisions/revisions.ts';
import { preparedRegistry } from '../../kernel/feature-source.ts';
import { SessionJourney } from '../../lifecycle/journey.ts';
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import { answerRefusal } from '../../lifecycle/refusals.ts';
import type { Session } from '../../lifecycle/session.ts';
import { sourceCaller } from '../../ports/source-caller.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Acceptance } from '../admission/accept.ts';
import { statusOfCall } from '../admission/challenge.ts';
import { isFoundingRequest } from '../admission/founding-clients.ts';
import type { CallerShare } from '../admission/gate/caller-share.ts';
import type { HttpRequest, HttpResponder } from '../message.ts';
import { type ExchangeCalls, ExchangeReply } from './exchange-reply.ts';

/** Methods that change a session, and so need one. */
const sessionMethods: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

export const needsSession = (method: string): boolean => sessionMethods.has(method);

/** Whether a request without a session is served in the one of its principal: what it asks for outlives the request. */
export const needsPrincipal = (method: string): boolean => sessionMethods.has(method) || method.startsWith('tasks/');

/** Messages of a call that its JSON response cannot carry. */
const forListeners: ReadonlySet<string> = new Set(['notifications/message', 'notifications/progress']);

export class StatelessReply extends ExchangeReply {
  /** The session of its principal, which gets the status of tasks. */
  sessionKey?: string;

  override get acceptance(): Acceptance {
    return isFoundingRequest(this) ? 'json' : super.acceptance;
  }

  protected override get defaultAcceptance(): Acceptance {
    return 'json';
  }

  /** Where the response is JSON alone, logs and progress take the stream of the same principal. Anonymous calls have none. */
  override notify(revision: Revision, notification: Notification): void {
    const isForListeners = this.acceptance === 'json' && forListeners.has(notification.method);
    if (isForListeners && this.principal !== undefined) this.calls.logTo?.(this.principal.key, notification);
    else super.notify(revision, notification);
  }

  protected override statusOf(error: RpcError): number {
    return statusOfCall(error);
  }

  /** Answers `initialize` with what works without a session: no list changes, no log levels, no subscriptions. */
  static initialize(
    { calls, offered }: { readonly calls: ExchangeCalls; readonly offered: OfferedRevisions },
    { request, responder }: { readonly request: HttpRequest; readonly responder: HttpResponder },
    message: RequestMessage,
    revision: Revision,
    call: Incoming,
  ): void {
    const { serving } = calls;
    const reply = new StatelessReply(calls, responder, undefined, request.principal);
    reply.address = request.clientAddress;
    const settle = (registry: Registry | RpcError): void =>
      reply.settle(
        message,
        revision,
        registry instanceof RpcError ? registry : introduction(registry, offered, revision),
      );
    if (serving.source === undefined) return settle(serving.registry());
    const { clientInfo: client, capabilities } = call.params as { clientInfo: Implementation; capabilities: Fields };
    const caller = { revision, client, capabilities, logLevel: undefined };
    void mapped(preparedRegistry(serving, serving.source, sourceCaller(reply, caller), call), settle);
  }

  /** Serves a request in the session of its principal. */
  static serveIn(
    { session, sessionKey }: { readonly session: Session; readonly sessionKey: string },
    calls: ExchangeCalls,
    responder: HttpResponder,
    caller: CallerShare,
    { principal, clientAddress }: Pick<HttpRequest, 'principal' | 'clientAddress'>,
    message: RequestMessage,
  ): void {
    const reply = new StatelessReply(calls, responder, caller, principal);
    reply.address = clientAddress;
    reply.sessionKey = sessionKey;
    const revision = session.revision();
    if (revision === undefined) return reply.refuse(message.id, newestSession, unknown(message.method));
    const read = revision.wire.readRequest(revision, 'client', message.method, message.params);
    if (!read.ok) return answerRefusal(read.refusal, (error) => reply.refuse(message.id, revision, error));
    session.request(message, revision, read.value, reply);
    reply.awaitCall(revision);
  }

  static serve(
    calls: ExchangeCalls,
    responder: HttpResponder,
    caller: CallerShare,
    { principal, clientAddress }: Pick<HttpRequest, 'principal' | 'clientAddress'>,
    message: RequestMessage,
    revision: Revision,
  ): void {
    const reply = new StatelessReply(calls, responder, caller, principal);
    reply.address = clientAddress;
    const { method, params } = message;
    if (method === 'ping') return reply.settle(message, revision, empty);
    if (needsSession(method)) return reply.refuse(message.id, revision, unknown(method));
    const read = revision.wire.readRequest(revision, 'client', method, params);
    if (!read.ok) return answerRefusal(read.refusal, (error) => reply.refuse(message.id, revision, error));
    // The level of the streams that are read without a session.
    const logLevel = principal && calls.levelOf?.(principal.key);
    const info = { revision, client: undefined, capabilities: {}, logLevel } as const;
    new SessionJourney(calls.serving, reply, message, read.value, info, undefined).begin();
    reply.awaitCall(revision);
  }
}

const introduction = (
  { info, capabilities, instructions }: Registry,
  offered: OfferedRevisions,
  { id }: Revision,
): Done => ({
  resultType: 'complete',
  result: {
    protocolVersion: id,
    capabilities: withoutSession(capabilities, offered),
    serverInfo: info,
    ...(instructions !== undefined && { instructions }),
  },
});

const empty: Done = { resultType: 'complete', result: {} };
const unknown = (method: string): RpcError => rpcError('method-not-found', `Method not found: ${method}`, { method });

function withoutSession(capabilities: ServerCapabilities, { extensions: known }: OfferedRevisions): ServerCapabilities {
  const { tools, resources, prompts, completions, extensions = {} } = capabilities;
  // The client's capabilities are not stored, so it gets only the extensions that need no declaration.
  const served = new Set(known.flatMap(({ id, whenUndeclared: undeclared }) => (undeclared === 'serve' ? id : [])));
  const included = Object.entries(extensions).filter(([id]) => served.has(id));
  return {
    ...(included.length > 0 && { extensions: Object.fromEntries(included) }),
    ...(tools && { tools: {} }),
    ...(resources && { resources: {} }),
    ...(prompts && { prompts: {} }),
    ...(completions && { completions }),
  };
}
