/** Clients of the inspector: what they connect to, and what is known of a connection. */
import type { AuthStep } from '../../auth/client/steps.ts';
import type { ConnectionState } from '../../client/api/connection-state.ts';
import type { Implementation, LoggingLevel, Root, ServerCapabilities } from '../../protocol/generated/types/records.ts';
import type { ApiError } from './errors.ts';

/** What to connect to. */
export type ApiTarget =
  /** Starts a program without a shell. Needs the nonce of `prepare`. `env` is added to a few harmless variables. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  /**
   * A URL. Streamable HTTP is tried first, then HTTP+SSE, as the specification says. `signIn` gets a token by OAuth when
   * the server asks for one (default true); it cannot be combined with a header `authorization`.
   */
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly signIn?: boolean;
    }
  /** A server that the program has passed to the inspector: in memory, or by a target of its own. `offered` lists them. */
  | { readonly kind: 'offered'; readonly name: string }
  /** A server of a configuration file. `offered` lists them. One that is a command, or sends variables, needs the nonce of `prepare`. */
  | { readonly kind: 'configured'; readonly name: string; readonly file: string }
  /** Replays a recording as a server. */
  | { readonly kind: 'recording'; readonly recording: string };

/** How to connect. */
export interface ApiConnectOptions {
  /** Only this protocol version; by default the newest that both sides have. One of `Overview.protocolVersions`. */
  readonly protocolVersion?: string;
  /** How long a call waits without a message from the server. Default 60 000. */
  readonly timeoutMs?: number;
  /** The lowest level of log messages. Default `debug` where the server has logging. */
  readonly logLevel?: LoggingLevel;
  /** The roots that the client has. Default none. */
  readonly roots?: readonly Root[];
  /** Which server requests the client declares to answer. Default all. */
  readonly answers?: { readonly elicitation?: boolean; readonly sampling?: boolean; readonly roots?: boolean };
  /** What the client is called in lists. Default the name of the server, or the target. */
  readonly label?: string;
}

/** A server that can be chosen from a list. */
export interface OfferedTarget {
  readonly target: ApiTarget;
  readonly name: string;
  /** The target as text for people: a URL, a command line, `in memory`. Secrets are masked. */
  readonly shown: string;
  /** The file that names it, and whose file it is (`cursor`, `vscode`, …). */
  readonly source?: { readonly client: string; readonly path: string };
  /** Why it cannot be used. */
  readonly problem?: ApiError;
}

/** What `prepare` returns: exactly what `connect` would do. Nothing was started. */
export interface PreparedTarget {
  readonly target: ApiTarget;
  /** The target as text for people. */
  readonly shown: string;
  /** Set if a process would be started: show all of it before the user confirms. */
  readonly spawns?: {
    readonly command: string;
    readonly args: readonly string[];
    /** All variables of the process that are not those of the inspector itself. */
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    /** Pass it to `connect` when the user has confirmed. Valid once, for five minutes, in this tab, for this command. */
    readonly nonce: string;
  };
  /** Set if variables of the environment would be sent to the URL in `shown`: name them before the user confirms. */
  readonly sends?: {
    readonly variables: readonly {
      readonly variable: string;
      /** Where it is: `url` or `headers`. */
      readonly field: string;
    }[];
    /** Pass it to `connect` when the user has confirmed. Valid once, for five minutes, in this tab, for this URL. */
    readonly nonce: string;
  };
}

/** A client that was opened, connected or not. An event `client` has it whole whenever something of it has changed. */
export interface ClientInfo {
  /** Such as `c1`. */
  readonly id: string;
  readonly label: string;
  /** What it is connected to; values of headers and variables are replaced by `‹hidden›`. */
  readonly target: ApiTarget;
  /** The target as text for people. */
  readonly shown: string;
  readonly options: ApiConnectOptions;
  /** `ready` while calls can be sent; `backoff` while it waits to connect again; `closed` for good. */
  readonly state: ConnectionState;
  /** Why it is not connected: of the last attempt. `error.step` names the step as `tenon doctor` does. */
  readonly error?: ApiError;
  /** When the next attempt is made, in milliseconds since the Unix epoch, in the state `backoff`. */
  readonly retryAt?: number;
  readonly protocolVersion?: string;
  /** Whether this protocol version has sessions: requests belong to one that a handshake began. */
  readonly hasSession?: boolean;
  readonly server?: Implementation;
  readonly capabilities?: ServerCapabilities;
  readonly instructions?: string;
  /** How messages are carried: known from the first connection on. */
  readonly transport?: string;
  /** The numbers of its connections in the recording `live`; the last is the current one. */
  readonly connections: readonly number[];
  /** The steps of authorization so far, of the last attempt. */
  readonly auth: readonly AuthStep[];
  /** URIs with a subscription. */
  readonly subscriptions: readonly string[];
  readonly logLevel?: LoggingLevel;
  readonly roots: readonly Root[];
  /** When it was opened, in milliseconds since the Unix epoch. */
  readonly openedAt: number;
}
