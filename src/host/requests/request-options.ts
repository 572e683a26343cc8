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

/**
 * Limits on the sampling requests of one server.
 * @area host
 * @of `samplingLimits`
 */
export interface SamplingLimits {
  /**
   * Requests for sampling of one server in a minute.
   * @default 10
   * @beyond rejected before consent is asked for
   * @code rate-limited
   */
  readonly maxPerMinute?: number;
  /**
   * Tokens of one request for sampling.
   * @default 4096
   * @beyond reduced to the limit
   */
  readonly maxTokens?: number;
}

/**
 * Limits on the elicitations of one server.
 * @area host
 * @of `elicitationLimits`
 */
export interface ElicitationLimits {
  /**
   * Elicitations of one server in a minute.
   * @default 20
   * @beyond rejected and not shown
   * @code rate-limited
   */
  readonly maxPerMinute?: number;
}

/**
 * The options of a host for requests of servers.
 * @area host
 * @noTable
 */
export interface RequestHandling {
  /**
   * Decides about tool calls, sampling and roots. Without a hook they are denied; `'allow-all'` allows everything.
   * @default off
   * @rule consentHooks
   */
  readonly consent?: Consent | 'allow-all';
  /**
   * Runs the model, for all servers.
   * @default off
   */
  readonly sample?: (request: HostSampleRequest) => Maybe<CreateMessageResult>;
  /**
   * Whether `sample` supports tools.
   * @default false
   */
  readonly samplingTools?: boolean;
  /**
   * Limits on sampling, for all servers or by server.
   * @default off
   * @rule samplingBounds
   */
  readonly samplingLimits?: SamplingLimits | ((server: string) => SamplingLimits);
  /**
   * Shows an elicitation to the user, for all servers: one at a time, the servers in rotation.
   * @default off
   */
  readonly elicit?: (request: HostElicitRequest) => Maybe<ElicitFormResult>;
  /**
   * Whether `elicit` supports `mode: 'url'`.
   * @default false
   */
  readonly urlElicitation?: boolean;
  /**
   * Limits on elicitation, for all servers or by server.
   * @default off
   * @rule elicitationBounds
   */
  readonly elicitationLimits?: ElicitationLimits | ((server: string) => ElicitationLimits);
  /**
   * The roots that servers may get, with consent.
   * @default off
   * @rule rootsRule
   */
  readonly roots?: readonly Root[] | ((server: string) => Maybe<readonly Root[]>);
}

/** The same with the defaults that it has. */
export type RequestSettings = RequestHandling & Required<Pick<RequestHandling, 'samplingTools' | 'urlElicitation'>>;
