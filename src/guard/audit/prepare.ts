/** Turns an event into text when it is appended: later changes of its values have no effect, and its size is known. */
import { canonical } from './canonical.ts';
import type { AuditFields, AuditKind, RecordedEvent } from './record.ts';

/**
 * The most characters of a record, and of one private value. A longer record becomes a private value; a longer private
 * value is not stored, only its hash.
 */
export interface RecordLimits {
  readonly maxRecordChars: number;
  readonly maxPrivateChars: number;
}

/** An event without its place in the chain. */
export interface PreparedEvent {
  readonly kind: AuditKind;
  readonly at: string;
  /** Its public members, each with a comma before it. */
  readonly members: string;
  readonly privates: readonly PrivateText[];
  /** The characters it takes in memory. */
  readonly chars: number;
}

export interface PrivateText {
  readonly field: string;
  /** In canonical form. */
  readonly text: string;
  readonly stored: boolean;
}

const publicFields = ['who', 'what', 'decision'] as const;

/**
 * Names of private values of an event.
 * @limit audit
 * @beyond they are stored as one value
 */
const maxPrivateFields = 32;

/**
 * Characters of the name of a private value.
 * @limit audit
 * @beyond they are stored as one value
 */
const maxNameChars = 100;

/** Names of fields that the log makes private begin with it. */
const ownPrefix = 'record.';

/** Nothing is refused for its size, since the peer may choose it: an attacker could avoid its record otherwise. */
export function prepareEvent(event: RecordedEvent, at: string, limits: RecordLimits): PreparedEvent {
  const privates: PrivateText[] = [];
  let members = '';
  for (const name of publicFields) {
    const value: AuditFields | undefined = event[name];
    if (value === undefined) continue;
    const text = canonical(value, name);
    const fits = members.length + text.length <= limits.maxRecordChars;
    if (!fits) privates.push({ field: `${ownPrefix}${name}`, text, stored: text.length <= limits.maxPrivateChars });
    members += `,"${name}":${fits ? text : `{"omittedChars":${text.length}}`}`;
  }
  for (const [field, value] of privateFields(event.private)) {
    const text = canonical(value, `private.${field}`);
    privates.push({ field, text, stored: text.length <= limits.maxPrivateChars });
  }
  // The order of their lines: any other is a change.
  privates.sort((one, other) => (one.field < other.field ? -1 : 1));
  let chars = members.length + 200;
  for (const { text, stored } of privates) chars += stored ? text.length + 200 : 200;
  return { kind: event.kind, at, members, privates, chars };
}

function privateFields(fields: AuditFields | undefined): [string, unknown][] {
  if (fields === undefined) return [];
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const isSmall = entries.length <= maxPrivateFields;
  const isNamedWell = ([name]: [string, unknown]): boolean =>
    name.length <= maxNameChars && !name.startsWith(ownPrefix);
  return isSmall && entries.every(isNamedWell) ? entries : [[`${ownPrefix}private`, fields]];
}
