/** The options of createHost(). */
import type { ConnectOptions, LogEntry } from '../client/api/options.ts';
import type { TenonError } from '../jsonrpc/errors.ts';
import type { Implementation } from '../protocol/generated/types/records.ts';
import type { Decision } from './requests/decisions.ts';
import type { RequestHandling } from './requests/request-options.ts';
import type { HostConfig } from './servers/config.ts';

/** The options of the clients of a host: those of `connect`, except for what the host sets itself. */
export type HostConnectOptions = Omit<ConnectOptions, 'handlers' | 'clientInfo' | 'onClose' | 'onWarning' | 'onLog'>;

/** Time limits of a host, in milliseconds. */
export interface HostTimeouts {
  /** How long a consent hook may take. After that the answer is no. Default 300 000. */
  readonly consentMs?: number;
  /** How long a list waits for one server. Default 30 000. The list then contains the other servers. */
  readonly listMs?: number;
}

/** Limits of a host. */
export interface HostLimits {
  /** How many tools, resources, templates or prompts of one server are listed. Default 1000 of each. */
  readonly maxListed?: number;
}

/** The options of `createHost`. */
export interface HostOptions extends RequestHandling {
  /** The servers: `{ mcpServers: { … } }` as in a configuration file, or the inner object. */
  readonly servers: HostConfig;
  /** The name and version of the host, sent to every server. */
  readonly clientInfo?: Implementation;
  /** The variables that `${NAME}` in the configuration refers to. Default on Node: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Time limits. */
  readonly timeouts?: HostTimeouts;
  /** Limits on lists. */
  readonly limits?: HostLimits;
  /** Called with every decision about consent. */
  readonly onDecision?: (decision: Decision) => void;
  /** Whether decisions include the request: arguments, messages and roots, with any secrets in them. Default `false`. */
  readonly includeRequests?: boolean;
  /** Options of the clients, for all servers or by server. */
  readonly connectOptions?: HostConnectOptions | ((server: string) => HostConnectOptions);
  /** Called with every log message of a server. */
  readonly onLog?: (server: string, entry: LogEntry) => void;
  /** Called with everything that was dropped or failed in the background. */
  readonly onWarning?: (server: string, error: TenonError) => void;
}
