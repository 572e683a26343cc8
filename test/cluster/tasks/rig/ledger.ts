/** The ledger of a run: what its processes report, in order. It is in another process than they are, and no kill reaches it. */
import type { TaskEvent } from '../history/events.ts';
import type { Report, Role } from './messages.ts';

export interface Ledger {
  readonly history: readonly TaskEvent[];
  /** The boundaries that were passed, by role, in the order of their first pass. */
  readonly boundaries: Readonly<Record<Role, ReadonlySet<string>>>;
  record(event: TaskEvent): void;
  /** Takes a report of a process. An effect happens once for each key. */
  take(role: Role, report: Report): void;
}

export function createLedger(): Ledger {
  const history: TaskEvent[] = [];
  const keys = new Set<string>();
  const boundaries = { server: new Set<string>(), worker: new Set<string>(), client: new Set<string>() };
  return {
    history,
    boundaries,
    record: (event) => void history.push(event),
    take(role, report) {
      if (report.type === 'boundary') boundaries[role].add(report.name);
      else if (report.type === 'effect') {
        history.push({ ...report, isFirst: !keys.has(report.key) });
        keys.add(report.key);
      } else history.push(report);
    },
  };
}
