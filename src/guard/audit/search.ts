/** Which records a search selects. */
import { isTexts, type Rule } from '../../lib/options/option-rules.ts';
import { canonical } from './canonical.ts';
import type { AuditKind, AuditRecord } from './record.ts';

/**
 * Selects records whose private values are deleted. Each member that is set must match.
 * @area audit
 * @of `searchAudit` and `redact`
 */
export interface RedactionQuery {
  /**
   * The kinds of records.
   * @default off
   * @rule auditKinds
   */
  readonly kinds?: readonly AuditKind[];
  /**
   * A value of `who`, such as the key of a principal or an address.
   * @default off
   */
  readonly who?: string;
  /**
   * A value of `what`, such as a tool, a URI or the ID of a call.
   * @default off
   */
  readonly what?: string;
  /**
   * The earliest time.
   * @default off
   * @rule auditDate
   */
  readonly since?: Date;
  /**
   * The latest time.
   * @default off
   * @rule auditDate
   */
  readonly until?: Date;
  /**
   * The number of the first record.
   * @default computed the first
   * @whole
   * @least 0
   */
  readonly from?: number;
}

/**
 * Selects records. Each member that is set must match.
 * @area audit
 * @of `searchAudit`
 */
export interface AuditQuery extends RedactionQuery {
  /**
   * Adds the private values that are still stored.
   * @default false
   */
  readonly includePrivate?: boolean;
  /**
   * Records of a search.
   * @default 1000
   * @beyond the search ends; its `nextFrom` is the number of the next record
   */
  readonly maxRecords?: number;
}

/** A record that a search found. */
export interface FoundRecord extends AuditRecord {
  /** The private values that are still stored. */
  readonly private?: Readonly<Record<string, unknown>>;
}

export const auditDate: Rule = {
  holds: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  must: 'be a valid Date',
};

export const auditKinds: Rule = { holds: isTexts, must: 'be a list of kinds' };

export interface Matcher {
  /** Whether the line of a record may match: quicker than to parse it. */
  maybe(line: string): boolean;
  matches(record: AuditRecord): boolean;
}

export function createMatcher(query: RedactionQuery): Matcher {
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
