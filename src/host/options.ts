/** What can be said when a host is made. */
import type { ConnectOptions, LogEntry } from '../client/api/options.ts';
import type { Implementation } from '../protocol/generated/types/records.ts';
import type { Decision } from './requests/decisions.ts';
import type { RequestHandling } from './requests/request-options.ts';
import type { HostConfig } from './servers/config.ts';
import type { Environment } from './servers/variables.ts';

/** What the host says to every server, beside what it says itself. */
export type HostConnectOptions = Omit<ConnectOptions, 'handlers' | 'clientInfo' | 'onClose' | 'onWarning' | 'onLog'>;

export interface HostOptions extends RequestHandling {
  /** `{ mcpServers: { … } }`, or the inner record. */
  readonly servers: HostConfig;
  readonly clientInfo?: Implementation;
  /** Where the variables of the configuration come from; on Node the environment of the process. */
  readonly env?: Environment;
  /** How long a hook may take; then the answer is no. 5 minutes by default. */
  readonly consentTimeoutMs?: number;
  /** Hears of every decision. */
  readonly onDecision?: (decision: Decision) => void;
  /** Whether decisions come with what was decided: arguments, messages and roots, secrets included. */
  readonly includeRequests?: boolean;
  /** How long a list waits for a server; 30 seconds by default. It goes on without those that are late. */
  readonly listTimeoutMs?: number;
  /** How many tools, resources, templates or prompts of one server are listed; 1000 of each by default. */
  readonly maxListed?: number;
  /** What else is said when connecting, to all servers or by server. */
  readonly connectOptions?: HostConnectOptions | ((server: string) => HostConnectOptions);
  /** Hears what servers log. */
  readonly onLog?: (server: string, entry: LogEntry) => void;
  /** Hears what went wrong behind the scenes. */
  readonly onWarning?: (server: string, error: Error) => void;
}
