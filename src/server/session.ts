/** The session lifecycle on the server: a handshake once, then calls by a caller that is known. */
import type { RpcError } from '../jsonrpc/errors.ts';
import { rpcError } from '../protocol/errors.ts';
import type { ClientCapabilities, Implementation } from '../protocol/generated/types/records.ts';
import type { Incoming, Outcome } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Caller } from './caller.ts';
import type { Registry } from './registry.ts';

export type SessionState =
  | { readonly is: 'new' }
  /** The handshake is answered; the client has yet to say that it heard. */
  | { readonly is: 'greeted'; readonly caller: Caller }
  | { readonly is: 'ready'; readonly caller: Caller };

export const newSession: SessionState = { is: 'new' };

/** What the session is after `initialize`, and what the client hears. */
export function greet(
  state: SessionState,
  registry: Registry,
  revision: Revision,
  { params }: Incoming,
): { readonly state: SessionState; readonly outcome: Outcome | RpcError } {
  if (state.is !== 'new') return { state, outcome: rpcError('invalid-request', 'This session is initialized already') };
  const caller: Caller = {
    revision,
    client: params.clientInfo as Implementation,
    capabilities: params.capabilities as ClientCapabilities,
    logLevel: undefined,
  };
  const { info, capabilities, instructions } = registry;
  const result = {
    protocolVersion: revision.id,
    capabilities,
    serverInfo: info,
    ...(instructions && { instructions }),
  };
  return { state: { is: 'greeted', caller }, outcome: { kind: 'done', result } };
}

/** What the session is after a notification. */
export const notified = (state: SessionState, method: string): SessionState =>
  state.is === 'greeted' && method === 'notifications/initialized' ? { is: 'ready', caller: state.caller } : state;
