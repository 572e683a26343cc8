/** The option `compat`: how a peer differs from the specification. */
import type { ClientCapabilities, Implementation } from '../generated/types/records.ts';
import type { ErrorCodeTable } from './error-codes.ts';

/** The dialects that change what a server sends. Everything else of the documents it reads without an option. */
export const serverDialects = ['elicitation-messages', 'system-role'] as const;
/** The dialects that change what a client sends or accepts. */
export const clientDialects = ['elicitation-messages', 'optional-max-tokens', 'tasks-create'] as const;

/** A dialect of a server. */
export type ServerDialect = (typeof serverDialects)[number];
/** A dialect of a client. */
export type ClientDialect = (typeof clientDialects)[number];
/** A dialect that can be chosen. See docs/dialects.md. */
export type Dialect = ServerDialect | ClientDialect;

/** How a peer differs from the specification. Sessions only. */
export interface CompatOptions<D extends Dialect = Dialect> {
  /** The dialects that the peer uses; none by default. */
  readonly dialects?: readonly D[];
  /** The table of error codes that the peer uses; that of the specification by default. */
  readonly errorCodes?: ErrorCodeTable;
}

/** A client that sends `initialize`, as it introduces itself. */
export interface ConnectingClient {
  /** Its name and version. */
  readonly clientInfo: Implementation;
  /** What it declares. */
  readonly capabilities: ClientCapabilities;
  /** The protocol version that it requests. */
  readonly protocolVersion: string;
}

/** How clients differ from the specification: all of them, or each by what it sends in `initialize`. */
export type ServerCompat =
  | CompatOptions<ServerDialect>
  | ((client: ConnectingClient) => CompatOptions<ServerDialect> | undefined);
