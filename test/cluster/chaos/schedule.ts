/** What happens in a run, from its seed: the operations of each client, and faults at numbers of steps. Pure. */
import { createRandom } from '../../kit/process/hostile-lines.ts';
import type { EngineName } from '../../kit/stores/engines.ts';

/** `locked` is the fault of a SQLite file, the others are those of a server such as Redis. */
export type StoreFaultKind = 'cut' | 'stalled' | 'killed' | 'locked';

export type Operation =
  | { readonly kind: 'effect' | 'keyed' | 'ask' | 'hang' }
  | { readonly kind: 'stream'; readonly count: number; readonly cutAfter: number | undefined }
  | { readonly kind: 'change'; readonly topic: string };

export interface PlannedClient {
  readonly name: string;
  readonly principal: string;
  readonly revision: '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';
  /** A raw client reads the wire itself and resumes by `Last-Event-ID`; the others are Tenon's. */
  readonly isRaw: boolean;
  /** The topics it listens to. */
  readonly topics: readonly string[];
  readonly operations: readonly Operation[];
}

/** A step is a report of a handler or an operation that has ended. */
export interface PlannedFault {
  readonly atStep: number;
  readonly forSteps: number;
  readonly what: /** Of a fault in the middle of a call, the node is the one whose handler reports at this step, if one does. */
    | { readonly kind: 'node-killed' | 'node-drained'; readonly node: string; readonly isInCall: boolean }
    | { readonly kind: 'store'; readonly fault: StoreFaultKind };
}

export interface Schedule {
  readonly clients: readonly PlannedClient[];
  readonly faults: readonly PlannedFault[];
}

export const nodeNames = ['n1', 'n2', 'n3'] as const;

const cast: readonly Omit<PlannedClient, 'operations'>[] = [
  { name: 'ada-alone', principal: 'ada', revision: '2026-07-28', isRaw: false, topics: ['a'] },
  { name: 'ada-new', principal: 'ada', revision: '2025-11-25', isRaw: false, topics: ['a', 'b'] },
  { name: 'bob-old', principal: 'bob', revision: '2025-03-26', isRaw: false, topics: [] },
  { name: 'bob-new', principal: 'bob', revision: '2025-11-25', isRaw: false, topics: ['b'] },
  { name: 'ada-raw', principal: 'ada', revision: '2025-11-25', isRaw: true, topics: [] },
  { name: 'bob-raw', principal: 'bob', revision: '2025-06-18', isRaw: true, topics: [] },
];

export function planRun(seed: number, store: EngineName, operations: number): Schedule {
  const random = createRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

  function operation(client: Omit<PlannedClient, 'operations'>): Operation {
    const kind = pick(['effect', 'effect', 'keyed', 'keyed', 'stream', 'stream', 'ask', 'hang', 'change'] as const);
    if (kind === 'stream') return { kind, count: 2 + below(8), cutAfter: below(2) === 0 ? 1 + below(4) : undefined };
    if (kind === 'change') return { kind, topic: pick(['a', 'b']) };
    // Forms exist since 2025-06-18.
    if (kind === 'ask' && client.revision === '2025-03-26') return { kind: 'keyed' };
    return { kind };
  }

  const clients = cast.map((client) => ({
    ...client,
    operations: Array.from({ length: operations }, () => operation(client)),
  }));
  const storeFaults: readonly StoreFaultKind[] = store === 'sqlite' ? ['locked'] : ['cut', 'stalled', 'killed'];
  const faults: PlannedFault[] = [];
  // Each operation is several steps. One fault at a time, with some steps between two.
  for (let step = 5 + below(10); step < operations * cast.length * 2; ) {
    const forSteps = 3 + below(12);
    const isStore = below(5) < 2;
    const what: PlannedFault['what'] = isStore
      ? { kind: 'store', fault: pick(storeFaults) }
      : { kind: pick(['node-killed', 'node-killed', 'node-drained']), node: pick(nodeNames), isInCall: below(3) > 0 };
    faults.push({ atStep: step, forSteps, what });
    step += forSteps + 5 + below(15);
  }
  return { clients, faults };
}
