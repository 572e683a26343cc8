/** Questions a handler can put to the client, and what comes back. */
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  RequestedSchema,
  Root,
} from '../../protocol/generated/types/records.ts';
import type { ProgressUpdate } from '../../protocol/progress.ts';
import type { Output, Schema } from '../../schema/standard.ts';

/** A form for the user, described by a schema of strings, numbers, booleans and choices. */
export interface FormElicitation<S extends Schema = Schema> {
  readonly message: string;
  readonly schema: S;
}

/** A form described as the protocol has it. */
export interface PlainFormElicitation {
  readonly message: string;
  readonly requestedSchema: RequestedSchema;
}

/** A page the user is asked to open. `accept` means that the user agreed to open it, not that it is done. */
export interface UrlElicitation {
  readonly message: string;
  readonly url: string;
  /** Names the page where it tells of its end; made of the call and the key unless it is given. */
  readonly elicitationId?: string;
}

/** What one question may have beside itself. */
export interface ServerRequestOptions {
  /** Hears how far the client is with its answer, where a session waits for it and the client tells. */
  readonly onProgress?: (told: ProgressUpdate) => void;
}

export type Elicitation = PlainFormElicitation | UrlElicitation;

export type ElicitOutcome<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** What a model is asked. */
export type SampleRequest = Omit<CreateMessageRequestParams, '_meta'>;
export type Sampled = CreateMessageResult;

export type ServerRequest = FormElicitation | Elicitation | SampleRequest | 'roots';

export type ServerRequestResult<Q> = Q extends 'roots'
  ? Root[]
  : Q extends FormElicitation<infer S>
    ? ElicitOutcome<Output<S>>
    : Q extends SampleRequest
      ? Sampled
      : ElicitOutcome<Record<string, unknown>>;
