/** One POST in progress, what serving it needs, and the error response for a request without a session. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import type { FrameRules } from '../../../jsonrpc/frame-rules.ts';
import type { RequestId } from '../../../jsonrpc/message.ts';
import { newestSession } from '../../../protocol/revisions/revisions.ts';
import type { Exchanges } from '../../lifecycle/exchange.ts';
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import type { Gate } from '../admission/gate/gate.ts';
import { withRetryAfter } from '../admission/retry-after.ts';
import type { EndpointLife } from '../endpoint-life.ts';
import { type HttpRequest, type HttpResponder, jsonType } from '../message.ts';
import type { ExchangeCalls } from '../reply/exchange-reply.ts';
import { requestIdOf } from '../reporting/request-id.ts';
import type { HttpSession, SessionHost } from '../session/session.ts';
import { storeFailed } from '../session/session-record.ts';
import type { SessionTable } from '../session/session-table.ts';

/** What a POST needs of the endpoint. */
export interface PostPorts {
  readonly offered: OfferedRevisions;
  readonly life: EndpointLife;
  readonly gate: Gate;
  readonly calls: ExchangeCalls;
  readonly host: SessionHost;
  readonly sessions: SessionTable;
  readonly exchanges: Exchanges;
  readonly rules: FrameRules;
  readonly hasSessions: boolean;
}

export interface Posted {
  readonly request: HttpRequest;
  readonly responder: HttpResponder;
  /** The session that the request names; `lost` if there is none with that id. */
  readonly session: HttpSession | 'lost' | undefined;
}

export function warnOfStore({ host }: PostPorts, request: HttpRequest, cause: unknown): void {
  host.warn(storeFailed(cause, requestIdOf(request)));
}

/** Sends an error in the form of the newest revision with sessions, for a request without a session. */
export function sendError(responder: HttpResponder, id: RequestId | undefined, error: RpcError, status: number): void {
  const body = { jsonrpc: '2.0', id, error: newestSession.wire.writeError(newestSession, error) };
  responder.send(status, withRetryAfter(jsonType, error), JSON.stringify(body));
}
