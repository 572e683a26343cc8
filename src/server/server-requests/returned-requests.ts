/** The outcome of a run whose handler returned `inputRequired()` or `urlElicitationRequired()`. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Incoming, InputRequest } from '../../protocol/neutral.ts';
import type { ClientFeature } from '../definition/context.ts';
import type { InputRequired } from '../definition/returns.ts';
import type { ServerRequest } from '../definition/server-requests.ts';
import type { CallLimits } from '../ports/call-limits.ts';
import type { Journal } from '../ports/journal.ts';
import { suspension } from './input-required.ts';
import { jsonCopy } from './json-copy.ts';
import { ProtocolForm } from './protocol-form.ts';
import { messageOf, toProtocolRequest } from './protocol-request.ts';
import { notJson, unsupportedRequest } from './request-errors.ts';

/** The part of a run that ends. */
export interface EndingRun {
  readonly call: Incoming;
  readonly target: string;
  readonly limits: CallLimits;
  readonly ports: { readonly urlSchemes: readonly string[] };
  readonly context: {
    readonly journal: Journal;
    readonly hasUrlError: boolean;
    clientSupports(what: ClientFeature): boolean;
    beforeRequest(key: string, request: InputRequest): void;
  };
}

/** What a run ends with; a source of features returns requests in the form of the protocol. */
type Ending = Pick<InputRequired, 'state' | 'byError'> & {
  readonly requests: Readonly<Record<string, ServerRequest | ProtocolForm>>;
};

export function outcomeOfRequests(run: EndingRun, { requests, state, byError }: Ending): Settled {
  const { context, limits, call, target, ports } = run;
  const { journal } = context;
  const messages = Object.entries(requests).map(([key, request]) => {
    const one = toProtocolRequest(key, request, journal.callId, ports.urlSchemes);
    if (!context.clientSupports(one.needs)) throw unsupportedRequest(one);
    context.beforeRequest(key, one);
    return [key, messageOf(one)] as const;
  });
  if (byError && context.hasUrlError) return urlElicitationRequired(messages.map(([, { params }]) => params));
  const own = state === undefined ? { ok: true as const, value: state } : jsonCopy(state, 'The state of inputRequired');
  if (!own.ok) throw notJson(own.place);
  const returned = Object.fromEntries(messages);
  const isForwarded = Object.values(requests).some((request) => request instanceof ProtocolForm);
  const next = { ...journal, returned, own: own.value, ...(isForwarded && { isForwarded }) };
  return suspension(limits, { method: call.method, target }, returned, next);
}

const urlElicitationRequired = (elicitations: readonly unknown[]): RpcError =>
  rpcError('url-elicitation-required', 'The user must open a URL before this call', { elicitations });
