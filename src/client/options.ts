/** What can be said when connecting. */
import type { PeerOptions } from '../jsonrpc/peer.ts';
import type { DialectChoice } from '../protocol/dialects/dialects.ts';
import type { Implementation, LoggingLevel } from '../protocol/generated/types/records.ts';
import type { RevisionId } from '../protocol/revisions/revisions.ts';
import type { Schema } from '../schema/standard.ts';
import type { Answers } from './answers.ts';
import type { LogEntry } from './connection.ts';

/** A capability of a server, by its path. */
export type Expectation =
  | 'tools'
  | 'tools.listChanged'
  | 'resources'
  | 'resources.subscribe'
  | 'resources.listChanged'
  | 'prompts'
  | 'prompts.listChanged'
  | 'completions'
  | 'logging';

export interface ConnectOptions extends DialectChoice, Pick<PeerOptions, 'strict' | 'limits' | 'deadlines'> {
  readonly client?: Implementation;
  /** The revisions to accept; all of them by default, the newest first. */
  readonly revisions?: readonly RevisionId[];
  /** What is answered when the server asks. What is absent it is told not to ask. */
  readonly answers?: Answers;
  /** Extensions this client has, by their identifiers, with what it says of each. */
  readonly extensions?: Readonly<Record<string, Record<string, unknown>>>;
  /** Capabilities the server has to have; without one of them connecting fails. */
  readonly expects?: readonly Expectation[];
  /**
   * How long a call may wait for the server; 60 seconds by default. While `answers` are at work on what the server
   * asked, that time stands still.
   */
  readonly timeoutMs?: number;
  /** How long a server may take to say that it can be discovered. */
  readonly probeTimeoutMs?: number;
  /** How long `answers` may be at work on what the server asked, before it is refused; ten minutes by default. */
  readonly answerTimeoutMs?: number;
  /** How often one call may be asked back. */
  readonly maxRounds?: number;
  /** The least the server should log, and who hears it. */
  readonly logLevel?: LoggingLevel;
  readonly log?: (entry: LogEntry) => void;
  /** Makes validators of output schemas: pass `jsonSchema` of `tenon/json-schema` to have structured output checked. */
  readonly outputs?: (schema: object) => Schema;
  /** Hears of messages that were dropped. */
  readonly fault?: (error: Error) => void;
  /** Hears that the connection is over. */
  readonly closed?: (reason: Error | undefined) => void;
}
