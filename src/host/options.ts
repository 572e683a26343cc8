/** What can be said when a host is made. */
import type { FormAsked, UrlAsked } from '../client/answers/handlers.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import type { LogEntry } from '../client/connection/server-messages.ts';
import type { Deadlines } from '../jsonrpc/deadlines.ts';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitResult,
  Implementation,
  Root,
} from '../protocol/generated/types/records.ts';
import type { TellProgress } from '../protocol/progress.ts';
import type { Consent } from './requests/consent.ts';
import type { Decision } from './requests/decisions.ts';
import type { HostConfig } from './servers/config.ts';
import type { Environment } from './servers/variables.ts';

type Maybe<T> = T | Promise<T>;

/** What a server asks of the model. */
export interface Sampling {
  readonly server: string;
  readonly request: CreateMessageRequestParams;
  readonly signal: AbortSignal;
  readonly progress: TellProgress;
}

/** What a server asks of the user. Whoever shows it shows which server asks. */
export type Asking = (({ readonly kind: 'form' } & FormAsked) | ({ readonly kind: 'url' } & UrlAsked)) & {
  readonly server: string;
  readonly signal: AbortSignal;
};

export interface SamplingLimits {
  /** How often a server may have the model asked within a minute; 10 by default. */
  readonly perMinute?: number;
  /** What a server may ask for at most; a request for more is cut down to it. 4096 by default. */
  readonly maxTokens?: number;
}

/** What the host says to every server, beside what it says itself. */
export type ClientOptions = Omit<ConnectOptions, 'answers' | 'client' | 'closed' | 'fault' | 'log'>;

export interface HostOptions {
  /** `{ mcpServers: { … } }`, or the inner record. */
  readonly servers: HostConfig;
  readonly client?: Implementation;
  /** Where the variables of the configuration come from; on Node the environment of the process. */
  readonly env?: Environment;
  /** Who is asked before a tool runs, a model is asked, or roots are shown. Without it none of that happens. */
  readonly consent?: Consent | 'allow-all';
  /** How long a hook may take; then the answer is no. 5 minutes by default. */
  readonly consentTimeoutMs?: number;
  /** The model, for all servers. */
  readonly sample?: (asked: Sampling) => Maybe<CreateMessageResult>;
  /** Whether the model can be given tools. */
  readonly sampleTools?: boolean;
  readonly samplingLimits?: SamplingLimits | ((server: string) => SamplingLimits);
  /** The user, for all servers: one question at a time. */
  readonly ask?: (asked: Asking) => Maybe<ElicitResult>;
  /** Whether `ask` can have the user open pages. */
  readonly opensPages?: boolean;
  /** Folders that servers may be told of. */
  readonly roots?: readonly Root[] | ((server: string) => Maybe<readonly Root[]>);
  /** Hears of every decision. */
  readonly decided?: (decision: Decision) => void;
  /** Whether decisions come with what was decided: arguments, messages and roots, secrets included. */
  readonly tellRequests?: boolean;
  /** How long a list waits for a server; 30 seconds by default. It goes on without those that are late. */
  readonly listTimeoutMs?: number;
  /** How many tools, resources, templates or prompts of one server are listed; 1000 of each by default. */
  readonly maxListed?: number;
  /** What else is said when connecting, to all servers or by server. */
  readonly connect?: ClientOptions | ((server: string) => ClientOptions);
  /** Hears what servers log. */
  readonly log?: (server: string, entry: LogEntry) => void;
  /** Hears what went wrong behind the scenes. */
  readonly fault?: (server: string, error: Error) => void;
  /** Whose time counts; tests pass one of their own. */
  readonly deadlines?: Deadlines;
}
