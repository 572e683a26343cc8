/** Reads the rows of spec/requirements and marks those that must be proved. */
import { parse } from 'yaml';

export interface Row {
  /** The id in test names. It ends with the revision where only the differences of that revision are listed. */
  readonly key: string;
  readonly revision: string;
  readonly area: string;
  /** True for a MUST or MUST NOT of a client or a server that a test can observe. */
  readonly counted: boolean;
  /** True for the same of a host, which the inspector and `tenon/host` are. It is pinned, and not counted. */
  readonly ofHost: boolean;
  /** Why only the author of a server can break this rule. Such rows are counted separately. */
  readonly author: string | undefined;
}

interface Entry {
  readonly id: string;
  readonly area: string;
  readonly who: string;
  readonly level: string;
  readonly testable: string;
  readonly change?: string;
  readonly role?: string;
  readonly author?: string;
}

const whole = new Set(['2025-11-25', '2026-07-28']);
const levels = new Set(['MUST', 'MUST NOT']);
const sides = new Set(['client', 'server', 'both']);
const visible = new Set(['wire', 'unit']);

/** The rows of one revision's file. */
export function rowsOf(revision: string, text: string): Row[] {
  const document = parse(text) as Entry[] | { entries: Entry[] };
  const entries = Array.isArray(document) ? document : document.entries;
  return entries.map((entry) => ({
    key: whole.has(revision) ? entry.id : `${entry.id}@${revision}`,
    revision,
    area: entry.area,
    counted: sides.has(entry.who) && isBinding(entry),
    ofHost: entry.who === 'host' && isBinding(entry),
    author: entry.author,
  }));
}

function isBinding({ level, testable, change, role }: Entry): boolean {
  return levels.has(level) && visible.has(testable) && role !== 'authorization-server' && change !== 'absent';
}

/** The rows of the founding documents, S01 to S42. */
export const seedRows: readonly string[] = Array.from(
  { length: 42 },
  (_, index) => `S${`${index + 1}`.padStart(2, '0')}`,
);
