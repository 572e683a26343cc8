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

/** A sampling request of a server. */
export interface HostSampleRequest {
  readonly server: string;
  readonly request: CreateMessageRequestParams;
  readonly signal: AbortSignal;
  readonly reportProgress: ReportProgress;
}

/** An elicitation of a server. Show the user which server it comes from. */
export type HostElicitRequest = (
  | ({ readonly mode: 'form' } & ElicitFormRequest)
  | ({ readonly mode: 'url' } & ElicitUrlRequest)
) & {
  readonly server: string;
  readonly signal: AbortSignal;
};

/** Limits on the sampling requests of one server. */
export interface SamplingLimits {
  /** Sampling requests of one server in a minute. Default 10; more are rejected. */
  readonly maxPerMinute?: number;
  /** The most tokens of one request. Default 4096; a request for more gets this many. */
  readonly maxTokens?: number;
}

export interface RequestHandling {
  /** Decides about tool calls, sampling and roots. Without a hook they are denied; `'allow-all'` allows everything. */
  readonly consent?: Consent | 'allow-all';
  /** Runs the model, for all servers. */
  readonly sample?: (request: HostSampleRequest) => Maybe<CreateMessageResult>;
  /** Whether `sample` supports tools. Default `false`. */
  readonly samplingTools?: boolean;
  /** Limits on sampling, for all servers or by server. */
  readonly samplingLimits?: SamplingLimits | ((server: string) => SamplingLimits);
  /** Shows an elicitation to the user, for all servers: one at a time, the servers in turn. */
  readonly elicit?: (request: HostElicitRequest) => Maybe<ElicitResult>;
  /** Whether `elicit` supports `mode: 'url'`. Default `false`. */
  readonly urlElicitation?: boolean;
  /** The roots that servers may get, with consent. */
  readonly roots?: readonly Root[] | ((server: string) => Maybe<readonly Root[]>);
}
