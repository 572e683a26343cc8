/** What `createGateway()` takes and returns. */

import type { ClientTelemetry } from '../client/api/telemetry-port.ts';
import type { ServerLike } from '../client/connect.ts';
import type { ClientAuth } from '../client/http/port/client-auth.ts';
import type { LockStatus, ServerLockStatus } from '../host/lock/status.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import type { Lock, LockedItem } from '../ports/lock.ts';
import type { Principal } from '../ports/principal.ts';
import type { ProtocolVersion } from '../protocol/revisions/revisions.ts';
import type { ServerOptions } from '../server/options.ts';
import type { Server } from '../server/server.ts';
import type { GatewayLimits, SearchOptions, UpstreamLimits } from './options.ts';

/** Whose one connection to an upstream is. */
export interface ConnectionOwner {
  /** The name of the upstream. */
  readonly upstream: string;
  /**
   * The principal whose calls it carries, as the last of them had it: read it again for each request. A connection is of one
   * client (`client`) of the principal. `undefined` for callers without one, and where all callers share it.
   */
  readonly principal: Principal | undefined;
}

/**
 * The credentials of an upstream: the same for all owners, or those of one. Called once for each connection; with a function,
 * clients of one principal have connections of their own.
 */
export type UpstreamAuth = ClientAuth | ((owner: ConnectionOwner) => ClientAuth | Promise<ClientAuth>);

/** Who shares a connection to an upstream. */
export type Share = 'principal' | 'session' | 'call' | 'all';

/** A server behind the gateway: exactly one of `command`, `url` and `server`. */
export interface UpstreamOptions {
  /** The program that is started, without a shell. */
  readonly command?: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Its variables, besides PATH, HOME and other harmless ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder it starts in. */
  readonly cwd?: string;
  /** The URL of the server. */
  readonly url?: string;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The credentials of the requests to `url`. */
  readonly auth?: UpstreamAuth;
  /** A server in this process. */
  readonly server?: ServerLike;
  /** Who shares a connection. Default `principal`. */
  readonly share?: Share;
  /** What names of tools and prompts begin with, before `__`. Default the name of the upstream; none if it is the only one. */
  readonly prefix?: string;
  /** The only tools, prompts and resources that are served, by their names at the upstream; `*` stands for any text. */
  readonly expose?: readonly string[];
  /** Those that are not served. */
  readonly hide?: readonly string[];
  /** Other names for tools and prompts: `{ theirs: 'ours' }`. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Whether the gateway is not ready without it (`/readyz`). Default `false`. */
  readonly required?: boolean;
  /** The protocol versions that are spoken to it. Default all. */
  readonly protocolVersions?: readonly ProtocolVersion[];
  /** Limits of its connections. */
  readonly limits?: UpstreamLimits;
}

/** The upstreams of a gateway, by their names. */
export type Upstreams = Readonly<Record<string, UpstreamOptions>>;

export type { GatewayLimits, SearchOptions, UpstreamLimits } from './options.ts';

/** The options of `createGateway()`. */
export interface GatewayOptions {
  /** The servers behind it. */
  readonly upstreams: Upstreams;
  /** Its name for clients and upstreams. Default `gateway`. */
  readonly name?: string;
  /** Its version. Default the version of Tenon. */
  readonly version?: string;
  /** Limits of all upstreams together. */
  readonly limits?: GatewayLimits;
  /** Whether callers find tools by `find_tools` and call them by `call_tool`, instead of a list of all. Default `false`. */
  readonly search?: boolean | SearchOptions;
  /** What was approved of upstreams, such as `lockFile('gateway.lock')` of `tenon/guard`. Nothing else is shown or called. */
  readonly lock?: Lock;
  /** Traces and measures every request to an upstream, with its name as `tenon.upstream`: `clientTelemetry()` of `tenon/telemetry`. */
  readonly telemetry?: ClientTelemetry;
  /** Those of `createServer()`: guard, middleware, secrets. Policies have the names of the gateway, such as `github__*`. */
  readonly server?: ServerOptions;
  /** Called with what cannot cross, and with upstreams that fail. */
  readonly onWarning?: (warning: TenonError) => void;
}

/** One upstream, now. */
export interface UpstreamStatus {
  /** `idle`: no connection is open. `failing`: the last attempt to connect failed. `draining`: no new calls. */
  readonly state: 'idle' | 'connected' | 'failing' | 'draining';
  /** Rises with every change by `reload()`. */
  readonly generation: number;
  /** The option `required`. */
  readonly required: boolean;
  /** Open connections, those of older generations included. */
  readonly connections: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
  /** Calls that wait for an answer of their caller. */
  readonly parked: number;
  /**
   * `open`: no connection is opened for a while, since several attempts have failed. `half-open`: one is tried. Failures of
   * one owner alone do not show here: its account may be the reason.
   */
  readonly circuit: 'closed' | 'open' | 'half-open';
  /** The last attempt to connect that failed, without details of one caller. */
  readonly lastError: { readonly code: string; readonly message: string; readonly at: number } | undefined;
}

/** A gateway, now. */
export interface GatewayStatus {
  /** By their names. */
  readonly upstreams: Readonly<Record<string, UpstreamStatus>>;
  /** What did not cross, by its reason. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** One open connection to an upstream. */
export interface GatewayConnection {
  /** The name of the upstream. */
  readonly upstream: string;
  /** Whose it is; `undefined` for callers without a principal, and where all callers share it. */
  readonly principal: Principal | undefined;
  /** The calls and lists that use it now. */
  readonly uses: number;
}

/** What `reload()` has changed, by the names of upstreams. */
export interface Reloaded {
  /** Those that are new. */
  readonly added: readonly string[];
  /** Those that are not served any more. */
  readonly removed: readonly string[];
  /** Those with other options or names: new calls get new connections. */
  readonly changed: readonly string[];
  /** Those that stay connected. */
  readonly unchanged: readonly string[];
}

/** What `createGateway()` returns. */
export interface Gateway extends AsyncDisposable {
  /** Served by `serveHttp()` and `serveStdio()`. */
  readonly server: Server;
  /** The state of its upstreams. */
  status(): GatewayStatus;
  /** Rejects with `invalid-argument`, and changes nothing, if an upstream is not valid. Unchanged upstreams stay connected; a lock is compared again. */
  reload(next: { readonly upstreams: Upstreams }): Promise<Reloaded>;
  /** The open connections to upstreams. */
  connections(): readonly GatewayConnection[];
  /**
   * Closes the connections of a principal, by its `key`, and forgets its lists. Its running calls fail. `only` those to one
   * upstream, or of one client where clients have connections of their own.
   */
  revoke(principal: string, only?: { readonly upstream?: string; readonly client?: string }): Promise<void>;
  /** Running calls of an upstream finish on its connections, later ones get new connections. Rejects for an unknown name. */
  drain(upstream: string): Promise<void>;
  /** How the upstreams differ from what was approved. Rejects without a lock. */
  lockStatus(): Promise<LockStatus>;
  /** Approves what a status showed: everything, or the items of one of its servers. */
  approve(status: LockStatus | ServerLockStatus, items?: readonly LockedItem[]): Promise<void>;
  /** Closes every connection. Close the transports of `server` first. */
  close(): Promise<void>;
}
