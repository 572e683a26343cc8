/** What handlers are given beside their arguments. */
import type { ClientCapabilities, Implementation, LoggingLevel, Root } from '../../protocol/generated/types/records.ts';
import type { Output, Schema } from '../../schema/standard.ts';
import type {
  Elicitation,
  ElicitOutcome,
  FormElicitation,
  Sampled,
  SampleRequest,
  ServerRequest,
  ServerRequestOptions,
  ServerRequestResult,
} from './server-requests.ts';

/** Who is calling, as far as it is known. Client names and capabilities are claims of the client. */
export interface Caller {
  readonly protocolVersion: string;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Issuer and subject, where the transport knows who it is. */
  readonly principal: string | undefined;
}

export interface BaseContext {
  /** Aborted when the caller gives the call up, its time is over, or the connection ends. */
  readonly signal: AbortSignal;
  readonly caller: Caller;
  /** What the request carries in `_meta`: trace context and keys of the client's own. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Tells the client, if it listens at this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /** Tells the client how far the call is, if it asked to be told. A step back is not told. */
  reportProgress(progress: number, total?: number, message?: string): void;
}

/** What `ctx.closeStream()` takes. */
export interface CloseStreamOptions {
  /** How long the client waits before it reconnects, in whole milliseconds; 1000 by default. */
  readonly retryMs?: number;
}

/** What can be asked of this caller. */
export type ClientFeature =
  | 'elicitation'
  | 'elicitation.form'
  | 'elicitation.url'
  | 'sampling'
  | 'sampling.tools'
  | 'roots';

/**
 * The context of handlers that may ask: of tools, prompts and resource reads. Where every request stands alone, a
 * question ends the run, and the handler runs again from the top once it is answered: see docs/asking.md.
 */
export interface Context extends BaseContext {
  /** The same for all rounds of one call. */
  readonly callId: string;
  /** How often the call has been sent before with answers. */
  readonly round: number;
  clientSupports(what: ClientFeature): boolean;
  elicit<S extends Schema>(
    key: string,
    question: FormElicitation<S>,
    options?: ServerRequestOptions,
  ): Promise<ElicitOutcome<Output<S>>>;
  elicit(
    key: string,
    question: Elicitation,
    options?: ServerRequestOptions,
  ): Promise<ElicitOutcome<Record<string, unknown>>>;
  sample(key: string, question: SampleRequest, options?: ServerRequestOptions): Promise<Sampled>;
  listRoots(key?: string): Promise<Root[]>;
  /** Asks several questions at once. */
  requestInput<Q extends Readonly<Record<string, ServerRequest>>>(
    questions: Q,
  ): Promise<{ [K in keyof Q]: ServerRequestResult<Q[K]> }>;
  /**
   * Tells the client that the page asked for under this key is done, once, also when the call is over. Where the
   * revision has no such news, nothing is told.
   */
  completeElicitation(key: string): void;
  /**
   * Closes the HTTP stream of a long call; the call continues. The client reconnects after `retryMs`, 1000 by default,
   * and gets what it missed. Does nothing where the protocol version or the transport cannot resume a stream.
   */
  closeStream(options?: CloseStreamOptions): void;
  /** Runs once for all rounds of the call; what it gives must be JSON and is remembered. */
  step<T>(key: string, run: () => T | Promise<T>): Promise<T>;
  /** Answers to the questions that the handler returned itself with `inputRequired`, and the state it returned with them. */
  readonly inputResponses: Readonly<Record<string, unknown>>;
  readonly requestState: unknown;
}
