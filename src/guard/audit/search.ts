/** Which records a search selects. */
import { count, flag, isTexts, type Rule, type Rules } from '../../lib/options/option-rules.ts';
import { canonical } from './canonical.ts';
import type { AuditKind, AuditRecord } from './record.ts';

/** Selects records. Each member that is set must match. */
export interface AuditQuery {
  /** The kinds of records. */
  readonly kinds?: readonly AuditKind[];
  /** A value of `who`, such as the key of a principal or an address. */
  readonly who?: string;
  /** A value of `what`, such as a tool, a URI or the ID of a call. */
  readonly what?: string;
  /** The earliest time. */
  readonly since?: Date;
  /** The latest time. */
  readonly until?: Date;
  /** The number of the first record. */
  readonly from?: number;
  /** Adds the private values that are still stored. Default false. */
  readonly includePrivate?: boolean;
  /** The most records. Default 1,000. */
  readonly maxRecords?: number;
}

/** A record that a search found. */
export interface FoundRecord extends AuditRecord {
  /** The private values that are still stored. */
  readonly private?: Readonly<Record<string, unknown>>;
}

const text: Rule = { holds: (value) => typeof value === 'string', must: 'be a text' };
const date: Rule = {
  holds: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  must: 'be a valid Date',
};

export const queryRules: Rules & Record<keyof AuditQuery, Rule> = {
  kinds: { holds: isTexts, must: 'be a list of kinds' },
  who: text,
  what: text,
  since: date,
  until: date,
  from: { holds: (value) => value === 0 || count.holds(value), must: 'be an integer, 0 or more' },
  includePrivate: flag,
  maxRecords: count,
};

export interface Matcher {
  /** Whether the line of a record may match: quicker than to parse it. */
  maybe(line: string): boolean;
  matches(record: AuditRecord): boolean;
}

export function createMatcher(query: AuditQuery): Matcher {
  const { kinds, who, what, from = 0 } = query;
  // ISO dates of one length sort as their times do.
  const since = query.since?.toISOString() ?? '';
  const until = query.until?.toISOString();
  // A value has one form in all lines.
  const texts = [who, what].flatMap((value) => (value === undefined ? [] : canonical(value, 'query')));
  return {
    maybe: (line) => texts.every((text) => line.includes(text)),
    matches: (record) =>
      record.n >= from &&
      record.at >= since &&
      (until === undefined || record.at <= until) &&
      (kinds === undefined || kinds.includes(record.kind)) &&
      (who === undefined || Object.values(record.who ?? {}).includes(who)) &&
      (what === undefined || Object.values(record.what ?? {}).includes(what)),
  };
}
