/** How a host answers what servers request: the consent it asks for, its model, its user, its roots. */
import type { FormAsked, UrlAsked } from '../../client/answers/handlers.ts';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitResult,
  Root,
} from '../../protocol/generated/types/records.ts';
import type { TellProgress } from '../../protocol/progress.ts';
import type { Consent } from './consent.ts';

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

export interface RequestHandling {
  /** Who is asked before a tool runs, a model is asked, or roots are shown. Without it none of that happens. */
  readonly consent?: Consent | 'allow-all';
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
}
