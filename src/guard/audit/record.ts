/** Events as callers pass them, and records as the log stores them. */

/** What a server or a host records. */
export type AuditEventKind =
  | 'authentication'
  | 'decision'
  | 'call-start'
  | 'call-end'
  | 'consent'
  | 'approval-requested'
  | 'approval-decided'
  | 'approval-used'
  | 'limit'
  | 'lock'
  | 'policy';

/** What the log records by itself. */
const logKinds = ['open', 'close', 'segment', 'checkpoint', 'repair', 'retention', 'redaction', 'refusals'] as const;

type LogKind = (typeof logKinds)[number];

/** What a record is about: an event, or something that the log did. */
export type AuditKind = AuditEventKind | LogKind;

const eventKinds: Readonly<Record<AuditEventKind, true>> = {
  authentication: true,
  decision: true,
  'call-start': true,
  'call-end': true,
  consent: true,
  'approval-requested': true,
  'approval-decided': true,
  'approval-used': true,
  limit: true,
  lock: true,
  policy: true,
};

export const auditKinds: readonly string[] = [...Object.keys(eventKinds), ...logKinds];

/** A record of the log about itself, such as a checkpoint, cannot be forged by an event. */
export const isEventKind = (kind: string): kind is AuditEventKind => Object.hasOwn(eventKinds, kind);

/** Values of a record: JSON. */
export type AuditFields = Readonly<Record<string, unknown>>;

/** One security event. */
export interface AuditEvent {
  /** What happened. */
  readonly kind: AuditEventKind;
  /** Who caused it: the key of the principal, its client, its address. */
  readonly who?: AuditFields;
  /** What was done: method, tool or URI, the ID of the call. */
  readonly what?: AuditFields;
  /** The decision and the rule behind it. */
  readonly decision?: AuditFields;
  /**
   * Values that may have to be deleted later, such as arguments. The record has a commitment to each of them; the
   * values are in a file of their own.
   */
  readonly private?: AuditFields;
}

/** An event, or what the log records about itself. */
export interface RecordedEvent extends Omit<AuditEvent, 'kind'> {
  readonly kind: AuditKind;
}

/** One line of the log. */
export interface AuditRecord extends Omit<AuditEvent, 'kind' | 'private'> {
  /** What it is about. */
  readonly kind: AuditKind;
  /** Counts up from 0 without a gap. */
  readonly n: number;
  /** When it was appended, as an ISO date. */
  readonly at: string;
  /** The hash of the record before. */
  readonly prev: string;
  /** For each private value a SHA-256 of its salt and its canonical form. */
  readonly sealed?: Readonly<Record<string, string>>;
  /** The SHA-256 of the line before this field, in hexadecimal. */
  readonly hash: string;
}

/** Where the next record is appended. */
export interface ChainHead {
  /** The number of the next record. */
  readonly n: number;
  /** The hash of the last record. */
  readonly hash: string;
}

/** The head of a chain without records. */
export const emptyChain: ChainHead = { n: 0, hash: '0'.repeat(64) };

/** SHA-256 of a text of ASCII characters, in hexadecimal. Synchronous: a promise for each record would be slower than the hash. */
export type Digest = (ascii: string) => string;
