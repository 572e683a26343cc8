/** How a host answers what servers request: the consent it asks for, its model, its user, its roots. */
import type { ElicitFormRequest, ElicitUrlRequest } from '../../client/answers/handlers.ts';
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitResult,
  Root,
} from '../../protocol/generated/types/records.ts';
import type { ReportProgress } from '../../protocol/progress.ts';
import type { Consent } from './consent.ts';

type Maybe<T> = T | Promise<T>;

/** What a server asks of the model. */
export interface HostSampleRequest {
  readonly server: string;
  readonly request: CreateMessageRequestParams;
  readonly signal: AbortSignal;
  readonly reportProgress: ReportProgress;
}

/** What a server asks of the user. Whoever shows it shows which server asks. */
export type HostElicitRequest = (
  | ({ readonly mode: 'form' } & ElicitFormRequest)
  | ({ readonly mode: 'url' } & ElicitUrlRequest)
) & {
  readonly server: string;
  readonly signal: AbortSignal;
};

export interface SamplingLimits {
  /** How often a server may have the model asked within a minute; 10 by default. */
  readonly maxPerMinute?: number;
  /** What a server may ask for at most; a request for more is cut down to it. 4096 by default. */
  readonly maxTokens?: number;
}

export interface RequestHandling {
  /** Who is asked before a tool runs, a model is asked, or roots are shown. Without it none of that happens. */
  readonly consent?: Consent | 'allow-all';
  /** The model, for all servers. */
  readonly sample?: (request: HostSampleRequest) => Maybe<CreateMessageResult>;
  /** Whether the model can be given tools. */
  readonly samplingTools?: boolean;
  readonly samplingLimits?: SamplingLimits | ((server: string) => SamplingLimits);
  /** The user, for all servers: one question at a time. */
  readonly elicit?: (request: HostElicitRequest) => Maybe<ElicitResult>;
  /** Whether `ask` can have the user open pages. */
  readonly urlElicitation?: boolean;
  /** Folders that servers may be told of. */
  readonly roots?: readonly Root[] | ((server: string) => Maybe<readonly Root[]>);
}
