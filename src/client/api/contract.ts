/** What a client expects of its server. */
import type { ServerCapabilities } from '../../protocol/generated/types/records.ts';

/** A server that is checked against a contract, before its first call. */
export interface CheckedServer {
  /** The protocol version in use: older ones carry less. */
  readonly protocolVersion: string;
  /** The capabilities that it declares. */
  readonly capabilities: ServerCapabilities;
  /** Sends a request of the protocol and resolves with its result. */
  request(method: string, params: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * What a client expects of its server: the contract of a module that `tenon types` has written, or the result of
 * `createContract` of `tenon/contract`. `S` is the type of the server, which types the client.
 */
export interface Contract<S = unknown> {
  readonly type: 'contract';
  /** Rejects with `schema-drift` if the server does not fit. */
  check(server: CheckedServer): Promise<void>;
  /** The type of the server. There is no such value. */
  readonly server?: S;
}
