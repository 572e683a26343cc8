/** Options of a host for requests of servers: consent, sampling, elicitation and roots. */
import type { ElicitFormRequest, ElicitFormResult, ElicitUrlRequest } from '../../client/answers/handlers.ts';
import type { CreateMessageRequestParams, CreateMessageResult, Root } from '../../protocol/generated/types/records.ts';
import type { ReportProgress } from '../../protocol/progress.ts';
import type { Consent } from './consent.ts';

type Maybe<T> = T | Promise<T>;

/** A sampling request of a server. */
export interface HostSampleRequest {
  /** The name of the server. */
  readonly server: string;
  /** The request, after consent. */
  readonly request: CreateMessageRequestParams;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Sends progress to a server that requested it. */
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
  /** How many sampling requests of one server are allowed in a minute. Default 10; more are rejected. */
  readonly maxPerMinute?: number;
  /** The most tokens of one request. Default 4096; a request for more gets this many. */
  readonly maxTokens?: number;
}

/** Limits on the elicitations of one server. */
export interface ElicitationLimits {
  /** How many elicitations of one server are accepted in a minute. Default 20; more are rejected and not shown. */
  readonly maxPerMinute?: number;
}

/** The options of a host for requests of servers. */
export interface RequestHandling {
  /** Decides about tool calls, sampling and roots. Without a hook they are denied; `'allow-all'` allows everything. */
  readonly consent?: Consent | 'allow-all';
  /** Runs the model, for all servers. */
  readonly sample?: (request: HostSampleRequest) => Maybe<CreateMessageResult>;
  /** Whether `sample` supports tools. Default `false`. */
  readonly samplingTools?: boolean;
  /** Limits on sampling, for all servers or by server. */
  readonly samplingLimits?: SamplingLimits | ((server: string) => SamplingLimits);
  /** Shows an elicitation to the user, for all servers: one at a time, the servers in rotation. */
  readonly elicit?: (request: HostElicitRequest) => Maybe<ElicitFormResult>;
  /** Whether `elicit` supports `mode: 'url'`. Default `false`. */
  readonly urlElicitation?: boolean;
  /** Limits on elicitation, for all servers or by server. */
  readonly elicitationLimits?: ElicitationLimits | ((server: string) => ElicitationLimits);
  /** The roots that servers may get, with consent. */
  readonly roots?: readonly Root[] | ((server: string) => Maybe<readonly Root[]>);
}
