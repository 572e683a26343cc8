/** Holds the definitions of all servers against the lock: what was not approved is not shown and not used. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { HostRecorder } from '../permissions/audit.ts';
import type { HostChange } from '../servers/changes.ts';
import type { HostServer } from '../servers/host-server.ts';
import { type ListedKind, ownNameOf } from '../servers/listed-kind.ts';
import { identityOf } from './identity.ts';
import { type ChangedItem, type HostLock, hasDrift, type LockComparison, type SeenServer } from './lock.ts';
import { changedItems, describeDrift, notApproved, serverMismatch } from './report.ts';

export interface LockPorts {
  readonly lock: Promise<HostLock>;
  readonly recorder: HostRecorder;
  /** Lists and reviews a kind of one server again. Returns why the list is not complete. */
  refresh(kind: ListedKind, hostServer: HostServer): Promise<Error | undefined>;
  warn(server: string, error: Error): void;
}

/** What a review found about one kind of a server. */
interface Review {
  /** The version that the list belongs to: a later change makes it outdated. */
  readonly version: number;
  /** Why nothing of the server is allowed. */
  readonly refused: TenonError | undefined;
  readonly changed: ReadonlyMap<string, ChangedItem>;
  readonly added: ReadonlySet<string>;
}

interface ServerState {
  version: number;
  readonly reviews: Map<ListedKind, Review>;
  /** What was last reported, so that each difference is reported once. */
  reported: string;
}

export interface Screened<T> {
  readonly items: readonly T[];
  readonly problem: Error | undefined;
}

const kindsOf: Readonly<Record<string, readonly ListedKind[]>> = {
  tools: ['tool'],
  prompts: ['prompt'],
  resources: ['resource', 'template'],
};

export class LockGate {
  readonly #ports: LockPorts;
  readonly #states = new Map<string, ServerState>();
  #loaded: HostLock | undefined;

  constructor(ports: LockPorts) {
    this.#ports = ports;
    // Each use reports why it failed.
    this.#load().catch(() => {});
  }

  async #load(): Promise<HostLock> {
    this.#loaded = await this.#ports.lock;
    return this.#loaded;
  }

  /** The version of what a server offers. Take it before a list is requested. */
  version(server: string): number {
    return this.#state(server).version;
  }

  /** A change on a server: what was reviewed may not hold any more. */
  onChange({ server, change }: HostChange): void {
    const { reviews } = this.#state(server);
    if (change.type === 'server') this.#states.delete(server);
    const outdated = change.type === 'connection' ? (change.state === 'ready' ? allKinds : []) : kindsOf[change.type];
    if (outdated?.some((kind) => reviews.has(kind))) this.#state(server).version++;
  }

  /** What may be shown of a list. */
  async review<T>(
    hostServer: HostServer,
    kind: ListedKind,
    items: readonly T[],
    isComplete: boolean,
    version: number,
  ): Promise<Screened<T>> {
    const { server } = hostServer;
    const lock = await this.#load();
    const seen = await seenOf(hostServer, { [kind]: items });
    // Without a connection there are no items either.
    if (seen === undefined) return { items: [], problem: undefined };
    const compared = await lock.compare(server, seen);
    const comparison = isComplete ? compared : { ...compared, removed: [] };
    await this.#report(server, kind, comparison);
    const refuses = comparison.identity.length > 0 || (lock.mode === 'check' && hasDrift(comparison));
    const refused = refuses ? serverMismatch(server, comparison) : undefined;
    const changed = new Map(comparison.changed.flatMap((item) => (item.kind === kind ? [[item.name, item]] : [])));
    const added = new Set(comparison.added.flatMap((item) => (item.kind === kind ? [item.name] : [])));
    this.#state(server).reviews.set(kind, { version, refused, changed, added });
    if (refused !== undefined) return { items: [], problem: refused };
    const problem = changed.size === 0 ? undefined : changedItems(server, [...changed.values()]);
    const isApproved = (item: T): boolean => {
      const name = ownNameOf(kind, item);
      return !changed.has(name) && !added.has(name);
    };
    return { items: items.filter(isApproved), problem };
  }

  /** Throws `lock-mismatch` unless the item is as it was approved. Lists it again if it may have changed. */
  async check(hostServer: HostServer, kind: ListedKind, name: string): Promise<void> {
    const { server } = hostServer;
    const { reviews, version } = this.#state(server);
    if (reviews.get(kind)?.version !== version) {
      reviews.delete(kind);
      const problem = await this.#ports.refresh(kind, hostServer);
      if (problem !== undefined && !isMismatch(problem)) throw problem;
    }
    const review = this.#state(server).reviews.get(kind);
    if (review === undefined) throw new TenonError('connection-closed', `The server ${server} is not connected.`);
    if (review.refused !== undefined) throw review.refused;
    const changed = review.changed.get(name);
    if (changed !== undefined) throw changedItems(server, [changed]);
    if (review.added.has(name)) throw notApproved(server, { kind, name });
  }

  /** Whether the instructions of a server are the approved ones. */
  allowsInstructions(server: string, text: string): boolean {
    const isOther = [...(this.#states.get(server)?.reviews.values() ?? [])].some(
      ({ refused }) => refused !== undefined,
    );
    return !isOther && (this.#loaded?.allowsInstructions(server, text) ?? false);
  }

  /** Something was approved: everything is compared again. */
  outdate(server: string): void {
    this.#states.delete(server);
  }

  #state(server: string): ServerState {
    const found = this.#states.get(server) ?? { version: 0, reviews: new Map(), reported: '' };
    this.#states.set(server, found);
    return found;
  }

  async #report(server: string, kind: ListedKind, comparison: LockComparison): Promise<void> {
    const state = this.#state(server);
    const text = hasDrift(comparison) ? describeDrift(server, comparison) : '';
    const key = `${kind} ${text}`;
    if (text === '' || state.reported.includes(`${key}\n\n`)) return;
    const { known, identity, added, changed, removed } = comparison;
    const names = changed.map(({ kind: of, name, fields }) => ({
      kind: of,
      name,
      fields: fields.map((one) => one.field),
    }));
    await this.#ports.recorder.append({
      kind: 'lock',
      what: { server, known, identity, added, changed: names, removed },
    });
    state.reported = `${state.reported.slice(-maxReported)}${key}\n\n`;
    this.#ports.warn(server, serverMismatch(server, comparison));
  }
}

const maxReported = 100_000;
const allKinds: readonly ListedKind[] = ['tool', 'prompt', 'resource', 'template'];

const isMismatch = (error: Error): boolean => error instanceof TenonError && error.code === 'lock-mismatch';

/** `undefined` for a server that is not connected. */
export async function seenOf(
  hostServer: HostServer,
  definitions: SeenServer['definitions'] | Readonly<Record<string, readonly unknown[]>>,
): Promise<SeenServer | undefined> {
  const { connected } = hostServer;
  if (connected === undefined) return undefined;
  const identity = await identityOf(hostServer);
  return { identity, instructions: connected.instructions, definitions: definitions as SeenServer['definitions'] };
}
