/** What handlers are given beside their arguments. */
import type { ClientCapabilities, Implementation, LoggingLevel, Root } from '../../protocol/generated/types/records.ts';
import type { Output, Schema } from '../../schema/standard.ts';
import type {
  AnswerTo,
  AskOptions,
  Elicited,
  ElicitQuestion,
  FormQuestion,
  Question,
  Sampled,
  SampleQuestion,
} from './server-requests.ts';

/** Who is calling, as far as it is known. Client names and capabilities are claims of the client. */
export interface CallerFacts {
  readonly revision: string;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Issuer and subject, where the transport knows who it is. */
  readonly principal: string | undefined;
}

export interface Context {
  /** Aborted when the caller gives the call up, its time is over, or the connection ends. */
  readonly signal: AbortSignal;
  readonly caller: CallerFacts;
  /** What the request carries in `_meta`: trace context and keys of the client's own. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Tells the client, if it listens at this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /** Tells the client how far the call is, if it asked to be told. A step back is not told. */
  progress(progress: number, total?: number, message?: string): void;
}

/** What can be asked of this caller. */
export type Askable = 'elicit' | 'elicit.form' | 'elicit.url' | 'sample' | 'sample.tools' | 'roots';

/**
 * The context of handlers that may ask: of tools, prompts and resource reads. Where every request stands alone, a
 * question ends the run, and the handler runs again from the top once it is answered: see docs/asking.md.
 */
export interface AskingContext extends Context {
  /** The same for all rounds of one call. */
  readonly callId: string;
  /** How often the call has been sent before with answers. */
  readonly round: number;
  can(what: Askable): boolean;
  elicit<S extends Schema>(key: string, question: FormQuestion<S>, options?: AskOptions): Promise<Elicited<Output<S>>>;
  elicit(key: string, question: ElicitQuestion, options?: AskOptions): Promise<Elicited<Record<string, unknown>>>;
  sample(key: string, question: SampleQuestion, options?: AskOptions): Promise<Sampled>;
  roots(key?: string): Promise<Root[]>;
  /** Asks several questions at once. */
  ask<Q extends Readonly<Record<string, Question>>>(questions: Q): Promise<{ [K in keyof Q]: AnswerTo<Q[K]> }>;
  /**
   * Tells the client that the page asked for under this key is done, once, also when the call is over. Where the
   * revision has no such news, nothing is told.
   */
  pageDone(key: string): void;
  /**
   * Lets the connection of a long call go while the call runs on: after `retryMs`, 1000 by default, the client comes back
   * for what it missed. Where the revision or the transport has no such way back, nothing happens.
   */
  disconnect(retryMs?: number): void;
  /** Runs once for all rounds of the call; what it gives must be JSON and is remembered. */
  step<T>(key: string, run: () => T | Promise<T>): Promise<T>;
  /** Answers to the questions that the handler returned itself with `needsInput`, and the state it returned with them. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly state: unknown;
}
