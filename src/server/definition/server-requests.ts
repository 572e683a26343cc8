/** The requests that a handler can send to the client, and their results. */
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  PromptMessage,
  RequestedSchema,
  Root,
} from '../../protocol/generated/types/records.ts';
import type { ProgressUpdate } from '../../protocol/progress.ts';
import type { Output, Schema } from '../../schema/standard.ts';

/** A form for the user: a schema of a flat object of strings, numbers, booleans and enums. */
export interface FormElicitation<S extends Schema = Schema> {
  /** What to ask the user. */
  readonly message: string;
  /** The form. The answer is validated by it. */
  readonly schema: S;
  /** What the user sees before `message`, where the client speaks the dialect `elicitation-messages`; elsewhere left out. */
  readonly messages?: readonly PromptMessage[];
  /** What the client gets beside the text, where it speaks the dialect `elicitation-messages`; elsewhere left out. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A form, with the JSON Schema that MCP sends. */
export interface PlainFormElicitation {
  /** What to ask the user. */
  readonly message: string;
  /** The form, as JSON Schema. */
  readonly requestedSchema: RequestedSchema;
  /** What the user sees before `message`, where the client speaks the dialect `elicitation-messages`; elsewhere left out. */
  readonly messages?: readonly PromptMessage[];
  /** What the client gets beside the text, where it speaks the dialect `elicitation-messages`; elsewhere left out. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A URL for the user to open. `accept` means that the user agreed to open it, not that it is complete. */
export interface UrlElicitation {
  /** Why the user should open the URL. */
  readonly message: string;
  /** The URL; its scheme must be one of `allowedUrlSchemes`. */
  readonly url: string;
  /** Names the elicitation in the notification that it is complete; made from the call and the key by default. */
  readonly elicitationId?: string;
}

/**
 * How the client runs a request as a task.
 * @area server
 * @of `task` of `ctx.elicit` and `ctx.sample`
 * @noTable
 */
export interface ServerRequestTaskOptions {
  /**
   * How long a request that the client runs as a task may take, its result included. The client may allow less.
   * @default computed 1 h; in a task until its deadline
   * @beyond `ctx.elicit` and the others throw
   * @code server-request-failed
   */
  readonly ttlMs?: number;
}

/** The options of one request to the client. */
export interface ServerRequestOptions {
  /**
   * Has the client run the request as a task, if it can: no request stays open while the user thinks, and the
   * answer may take longer than `timeouts.inputMs`. By default only requests of a task are sent so. `false` never does.
   */
  readonly task?: boolean | ServerRequestTaskOptions;
  /** Called with the progress that the client reports. Sessions only. */
  readonly onProgress?: (update: ProgressUpdate) => void;
}

/** An elicitation without a schema of a library. */
export type Elicitation = PlainFormElicitation | UrlElicitation;

/** What the user did with an elicitation. */
export type ElicitOutcome<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** A request to the client's model. */
export type SampleRequest = Omit<CreateMessageRequestParams, '_meta'>;
/** Any request that a handler can send to the client. */
export type ServerRequest = FormElicitation | Elicitation | SampleRequest | 'roots';

/** The result of a request to the client. */
export type ServerRequestResult<Q> = Q extends 'roots'
  ? Root[]
  : Q extends FormElicitation<infer S>
    ? ElicitOutcome<Output<S>>
    : Q extends SampleRequest
      ? CreateMessageResult
      : ElicitOutcome<Record<string, unknown>>;
