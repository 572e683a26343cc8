/** Requests to the client of a session that belong to none of its calls. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import type { Serving } from '../kernel/serving.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Link } from '../ports/link.ts';
import { clientSupports } from '../server-requests/client-support.ts';
import { ProtocolForm } from '../server-requests/protocol-form.ts';
import { messageOf, toProtocolRequest } from '../server-requests/protocol-request.ts';
import { unanswered, unsupportedRequest } from '../server-requests/request-errors.ts';

/** Resolves with the result as the client sent it. */
export async function requestOutsideCalls(
  { guard, urlSchemes }: Pick<Serving, 'guard' | 'urlSchemes'>,
  link: Pick<Link, 'sendRequest'>,
  caller: CallerInfo,
  request: InputRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const { method } = request;
  const form = toProtocolRequest(method, new ProtocolForm(request), '', urlSchemes);
  if (!clientSupports(caller, form.needs)) throw unsupportedRequest(form);
  // A policy decides about the requests of a call: of its tool, and of its user.
  if (guard !== undefined && form.needs !== 'roots')
    throw rpcError('permission-denied', `With a guard, ${method} is only sent during a call`);
  const answer = await link.sendRequest(caller.revision, messageOf(form), signal).catch((cause: unknown) => {
    throw unanswered(cause);
  });
  const read = await form.read(answer);
  if (read.ok) return read.value;
  throw new TenonError('invalid-result', `The answer to ${method} is not valid: ${read.problem}.`);
}
