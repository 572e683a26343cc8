/** The options of one connection of a server. */
import type { MessageLimitOptions, MessageLimits } from '../../jsonrpc/limits.ts';
import type { PeerCounts } from '../../jsonrpc/peer-counts.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Rule } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Principal, PrincipalDetails } from '../../ports/principal.ts';
import type { ServerCompat } from '../../protocol/dialects/compat-options.ts';
import type { Tap } from '../../transport/tap.ts';
import type { Authenticate } from '../ports/authenticate.ts';
import type { NetworkTransport } from '../ports/request-details.ts';

/**
 * The options of `server.accept()`.
 * @area stdio
 * @of `server.accept`
 */
export interface AcceptOptions {
  /**
   * Whether duplicate keys in a message are an error; otherwise the last one wins.
   * @default false
   */
  readonly strict?: boolean;
  /**
   * Where dropped messages are counted, for several connections together.
   * @default computed each connection has its own
   * @rule droppedCounts
   */
  readonly counts?: PeerCounts;
  /** Limits on the messages of the connection. */
  readonly limits?: ConnectionLimits;
  /** Timeouts of the connection, in milliseconds. */
  readonly timeouts?: ConnectionTimeouts;
  /**
   * Called with messages that were dropped, and results or notifications that could not be sent.
   * @default off
   */
  readonly onWarning?: (error: TenonError) => void;
  /**
   * Who is connected, if the transport has authenticated it: issuer and subject, or a text that names both.
   * @default off
   * @rule principalRule
   */
  readonly principal?: string | PrincipalDetails;
  /**
   * Finds the principal of each message by its `_meta.authorization`, beside `params`: `header('authorization')` returns
   * it. A message without one is of `principal`; without that too, this decides. Refused requests get `unauthorized`.
   * @default off, every message is of `principal`
   */
  readonly authenticate?: Authenticate<undefined>;
  /**
   * Sees every message of the connection, as it was sent. Secrets are not removed.
   * @default off
   */
  readonly tap?: Tap;
  /**
   * The transport, for telemetry.
   * @default off
   */
  readonly transport?: NetworkTransport;
  /**
   * For clients that differ from the specification, instead of `compat` of `createServer()`.
   * @default computed `compat` of the server
   * @rule serverCompatRule
   */
  readonly compat?: ServerCompat;
  /**
   * Replays handlers that request input under every protocol version.
   * @default computed `alwaysReplay` of the server
   */
  readonly replay?: boolean;
  /**
   * The clock by which `requestState` expires, for tests.
   * @default computed `Date.now`
   * @internal
   */
  readonly now?: () => number;
}

/**
 * Limits on the messages of one connection.
 * @area stdio
 */
export interface ConnectionLimits extends MessageLimitOptions {
  /**
   * Requests of the client that run at once.
   * @default 10,000
   * @beyond the request gets `internal-error`
   * @code queue-full
   */
  readonly maxConcurrentCalls?: number;
}

/**
 * Timeouts of one connection, in milliseconds.
 * @area stdio
 */
export interface ConnectionTimeouts {
  /**
   * How long a request of the server, such as an elicitation, waits for its answer.
   * @default 10 min
   * @beyond `ctx.elicit` and the others throw
   * @code server-request-failed
   */
  readonly inputMs?: number;
}

export const droppedCounts: Rule = { holds: isRecord, must: 'be the counts of dropped messages' };

/** What a connection is served by: options that were checked, and who sends its messages. */
export interface ConnectionSettings extends Omit<AcceptOptions, 'limits' | 'replay' | 'now'> {
  readonly limits?: Partial<Omit<MessageLimits, 'maxValues'>> & {
    readonly maxConcurrentCalls?: number;
    /** Follows from `maxMessageChars` if it is absent. */
    readonly maxValues?: number | undefined;
  };
  /** Who has sent the message that is received now, over HTTP+SSE. */
  readonly currentPrincipal?: () => Principal | undefined;
  /** The IP address of its sender, over HTTP+SSE. */
  readonly currentAddress?: () => string | undefined;
}
