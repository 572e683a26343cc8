/** Compares the definitions of all servers with the lock. Definitions that were not approved are neither shown nor used. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import {
  type ChangedItem,
  hasDrift,
  itemOf,
  type ListedKind,
  type Lock,
  type LockComparison,
  type SeenServer,
} from '../../ports/lock.ts';
import type { HostRecorder } from '../requests/audit.ts';
import type { HostChange } from '../servers/changes.ts';
import type { Listed } from '../servers/host-server.ts';
import { ownNameOf } from '../servers/listed-kind.ts';
import { type ComparedServer, identityOf } from './identity.ts';
import { changedItems, describeDrift, notApproved, serverMismatch } from './report.ts';

export interface LockPorts<S extends ComparedServer> {
  readonly lock: Promise<Lock>;
  readonly recorder: HostRecorder;
  /** Lists and reviews a kind of one server again. Returns why the list is not complete. */
  refresh(kind: ListedKind, compared: S): Promise<Error | undefined>;
  /** Lists a kind of one server, and reviews nothing. */
  list(kind: ListedKind, compared: S): Promise<Pick<Listed<object>, 'items' | 'problem'>>;
  warn(server: string, error: Error): void;
}

/** The result of a review of one kind of a server. */
interface Review {
  /** The version that the list belongs to: a later change makes it outdated. */
  readonly version: number;
  /** Why nothing of the server is allowed. */
  readonly refused: TenonError | undefined;
  readonly changed: ReadonlyMap<string, ChangedItem>;
  readonly added: ReadonlySet<string>;
  /** The names of listed definitions that match the approved ones. */
  readonly approved: ReadonlySet<string>;
  /** Whether anything of the server was approved. */
  readonly known: boolean;
}

interface ServerState {
  /** Unique among all states, so that an older list never counts as current. */
  version: number;
  wasReady: boolean;
  readonly reviews: Map<ListedKind, Review>;
  /** The last report, so that each difference is reported once. */
  reported: string;
}

export interface Screened<T> {
  readonly items: readonly T[];
  readonly problem: Error | undefined;
}

export class LockGate<S extends ComparedServer> {
  readonly #ports: LockPorts<S>;
  readonly #states = new Map<string, ServerState>();
  #versions = 0;
  #loaded: Lock | undefined;

  constructor(ports: LockPorts<S>) {
    this.#ports = ports;
    // Each use reports why it failed.
    this.#load().catch(() => {});
  }

  async #load(): Promise<Lock> {
    this.#loaded = await this.#ports.lock;
    return this.#loaded;
  }

  /** The version of the features of a server. Read it before a list is requested. */
  version(server: string): number {
    return this.#state(server).version;
  }

  /** A change on a server makes earlier lists outdated, and those that are being read. */
  onChange({ server, change }: HostChange): void {
    if (change.type === 'server') return void this.#states.delete(server);
    const state = this.#state(server);
    const isConnection = change.type === 'connection';
    // The next connection may reach another server. The first list opens a connection itself.
    if (isListChange(change.type) || (isConnection && state.wasReady)) state.version = ++this.#versions;
    if (isConnection) state.wasReady = change.state === 'ready';
  }

  /** The items of a list that may be shown. */
  async review<T>(
    compared: S,
    kind: ListedKind,
    items: readonly T[],
    isComplete: boolean,
    version: number,
  ): Promise<Screened<T>> {
    const { server } = compared;
    const lock = await this.#load();
    // In the mode `check` any difference refuses the server, also one of another kind.
    const others = lock.mode === 'check' ? await this.#listOthers(kind, compared) : {};
    if (others instanceof Error) return { items: [], problem: others };
    const seen = await seenOf(compared, { ...others, [kind]: items });
    // Without a connection there are no items either.
    if (seen === undefined) return { items: [], problem: undefined };
    const whole = await lock.compare(server, seen);
    const comparison = isComplete ? whole : { ...whole, removed: [] };
    await this.#report(server, comparison);
    const refused = isRefused(lock, comparison) ? serverMismatch(server, comparison) : undefined;
    const changed = new Map(comparison.changed.flatMap((item) => (item.kind === kind ? [[item.name, item]] : [])));
    const added = new Set(comparison.added.flatMap((item) => (item.kind === kind ? [item.name] : [])));
    const shown = items.filter((item) => {
      const name = ownNameOf(kind, item);
      return !changed.has(name) && !added.has(name);
    });
    const approved = new Set(shown.map((item) => ownNameOf(kind, item)));
    this.#state(server).reviews.set(kind, { version, refused, changed, added, approved, known: comparison.known });
    if (refused !== undefined) return { items: [], problem: refused };
    // Nothing of it is shown: an empty list without a reason would look as if it had nothing.
    if (!comparison.known && added.size > 0) return { items: [], problem: serverMismatch(server, comparison) };
    return { items: shown, problem: changed.size === 0 ? undefined : changedItems(server, [...changed.values()]) };
  }

  /** Throws `lock-mismatch` unless the item is as it was approved. Lists it again if it may have changed. */
  async check(compared: S, kind: ListedKind, name: string): Promise<void> {
    const { server } = compared;
    const { reviews, version } = this.#state(server);
    let problem: Error | undefined;
    if (reviews.get(kind)?.version !== version) {
      reviews.delete(kind);
      problem = await this.#ports.refresh(kind, compared);
    }
    const review = this.#state(server).reviews.get(kind);
    if (review === undefined) throw problem ?? notConnected(server);
    if (review.refused !== undefined) throw review.refused;
    const changed = review.changed.get(name);
    if (changed !== undefined) throw changedItems(server, [changed]);
    if (review.approved.has(name)) return;
    // An incomplete list may lack the item.
    if (problem !== undefined && !isMismatch(problem)) throw problem;
    // Templates and links name resources that are in no list.
    if (kind !== 'resource' || !review.known || review.added.has(name)) throw notApproved(server, { kind, name });
  }

  /** Throws `lock-mismatch` unless the server itself is the approved one. For requests that name no definition. */
  async checkServer(compared: S): Promise<void> {
    const { server } = compared;
    const lock = await this.#load();
    const seen = await seenOf(compared, {});
    if (seen === undefined) throw notConnected(server);
    const comparison = await lock.compare(server, seen);
    if (!comparison.known || isRefused(lock, comparison)) throw serverMismatch(server, comparison);
    for (const { refused } of this.#state(server).reviews.values()) if (refused !== undefined) throw refused;
  }

  /** The error that `checkServer` throws, if any. */
  async problemOf(compared: S): Promise<Error | undefined> {
    try {
      await this.checkServer(compared);
      return undefined;
    } catch (error) {
      return error as Error;
    }
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
    const state = this.#state(server);
    state.version = ++this.#versions;
    state.reviews.clear();
    state.reported = '';
  }

  #state(server: string): ServerState {
    const found = this.#states.get(server);
    if (found !== undefined) return found;
    const made = { version: ++this.#versions, wasReady: false, reviews: new Map(), reported: '' };
    this.#states.set(server, made);
    return made;
  }

  /** The lists of all other kinds, or why one of them is not complete. */
  async #listOthers(kind: ListedKind, compared: S): Promise<Record<string, readonly object[]> | Error> {
    const others: Record<string, readonly object[]> = {};
    for (const other of allKinds) {
      if (other === kind) continue;
      const { items, problem } = await this.#ports.list(other, compared);
      if (problem !== undefined) return problem;
      others[other] = items;
    }
    return others;
  }

  async #report(server: string, comparison: LockComparison): Promise<void> {
    const state = this.#state(server);
    const text = hasDrift(comparison) ? describeDrift(server, comparison) : '';
    if (text === '' || state.reported.includes(`${text}\n\n`)) return;
    const { known, identity, added, changed, removed } = comparison;
    const names = changed.map(({ kind: of, name, fields }) => ({
      kind: of,
      name,
      fields: fields.map((one) => one.field),
    }));
    await this.#ports.recorder.append({
      kind: 'lock',
      what: { server, known, identity, added: added.map(itemOf), changed: names, removed },
    });
    state.reported = `${state.reported.slice(-maxReported)}${text}\n\n`;
    this.#ports.warn(server, serverMismatch(server, comparison));
  }
}

const maxReported = 100_000;
const allKinds: readonly ListedKind[] = ['tool', 'prompt', 'resource', 'template'];

const isListChange = (type: string): boolean => ['tools', 'prompts', 'resources'].includes(type);

const isRefused = ({ mode }: Lock, comparison: LockComparison): boolean =>
  comparison.identity.length > 0 || (mode === 'check' && hasDrift(comparison));

const notConnected = (server: string): TenonError =>
  new TenonError('connection-closed', `The server ${server} is not connected.`);

const isMismatch = (error: Error): boolean => error instanceof TenonError && error.code === 'lock-mismatch';

/** `undefined` for a server that is not connected. */
export async function seenOf(
  compared: ComparedServer,
  definitions: SeenServer['definitions'] | Readonly<Record<string, readonly unknown[]>>,
): Promise<SeenServer | undefined> {
  const { connected } = compared;
  if (connected === undefined) return undefined;
  const identity = await identityOf(compared);
  return { identity, instructions: connected.instructions, definitions: definitions as SeenServer['definitions'] };
}
