/** The scenarios of the matrix: each boundary that a clean run has recorded becomes one run in which something is killed there. */

import type { Planned } from './lanes.ts';
import type { Ledger } from './rig/ledger.ts';
import type { ClientKind, Fault, Role, Wire } from './rig/messages.ts';

export const wires: readonly Wire[] = ['extension', '2025-11-25'];

/** The boundaries of clean runs, by wire. */
export type Recorded = Readonly<Record<Wire, Ledger['boundaries']>>;

/** What happens to whom. */
export const kinds = {
  'a worker is killed': ({ worker }: Ledger['boundaries']) => faults('worker', 'kill', worker, isNewToWorker),
  'a worker is paused while another takes its task': ({ worker }: Ledger['boundaries']) =>
    faults('worker', 'pause', worker, (name) => name.startsWith('before ')),
  'the server is killed': ({ server }: Ledger['boundaries']) => faults('server', 'kill', server),
  'the client is killed': ({ client }: Ledger['boundaries']) => faults('client', 'kill', client),
  "Tenon's client is killed": ({ client }: Ledger['boundaries']) => faults('client', 'kill', client),
  'the store is killed': ({ worker, server }: Ledger['boundaries']) => [
    ...faults('worker', 'kill-store', worker, isStoreWrite),
    ...faults('server', 'kill-store', server, isStoreWrite),
    ...faults('worker', 'lose-reply', worker, (name) => name.startsWith('after ') && isStoreWrite(name)),
    ...faults('server', 'lose-reply', server, (name) => name.startsWith('after ') && isStoreWrite(name)),
  ],
} as const;

export type Kind = keyof typeof kinds;

type PlacedFault = Fault & { readonly role: Role };

const faults = (
  role: Role,
  does: Fault['does'],
  names: ReadonlySet<string>,
  isWanted: (name: string) => boolean = () => true,
): PlacedFault[] => [...names].filter(isWanted).map((at) => ({ role, does, at }));

/** Between an effect and the write of its step, a worker does nothing: it is one boundary. */
const isNewToWorker = (name: string): boolean => !name.startsWith('before step');

const isStoreWrite = (name: string): boolean =>
  /^(?:before|after) (?:create|claim|step|asked|answer|result)\b/.test(name);

/** Whose client the runs of a kind have. */
export const clientOf = (kind: Kind): ClientKind => (kind === "Tenon's client is killed" ? 'tenon' : 'raw');

/** Kinds in which the wire matters run on both; those of workers and of the store take turns. */
export function scenariosOf(kind: Kind, recorded: Recorded): Planned[] {
  const isOfWire =
    kind === 'the server is killed' || kinds[kind](recorded.extension).every(({ role }) => role === 'client');
  const client = clientOf(kind);
  const all = wires.map((wire) => kinds[kind](recorded[wire]).map((fault): Planned => ({ wire, client, fault })));
  if (isOfWire) return all.flat();
  const [one = [], other = []] = all;
  return one.map((scenario, index) => (index % 2 === 0 ? scenario : (other[index] ?? scenario)));
}

/** Some scenarios, evenly spread. */
export function sample<T>(all: readonly T[], count: number): T[] {
  if (count >= all.length) return [...all];
  return Array.from({ length: count }, (_, n) => all[Math.floor(((n + 0.5) * all.length) / count)] as T);
}

export const nameOf = ({ wire, client, fault, planted }: Planned): string =>
  [wire, client === 'tenon' && 'client of Tenon', fault && `${fault.does} ${fault.role} ${fault.at}`, planted]
    .filter(Boolean)
    .join(', ');
