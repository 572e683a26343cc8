/** The state of all servers against the lock, and approving it. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { ListedKind } from '../../ports/lock.ts';
import {
  hasDrift,
  itemOf,
  type Lock,
  type LockComparison,
  type LockedItem,
  type SeenServer,
} from '../../ports/lock.ts';
import type { HostRecorder } from '../requests/audit.ts';
import type { Listed } from '../servers/host-server.ts';
import { seenOf } from './gate.ts';
import type { ComparedServer } from './identity.ts';
import { describeDrift } from './report.ts';

/** How one server differs from what was approved. */
export interface ServerLockStatus extends LockComparison {
  /** The name of the server. */
  readonly server: string;
  /** Whether it is exactly as approved. */
  readonly matches: boolean;
  /** The state of the server when the status was created. `approve` writes it. */
  readonly seen: SeenServer;
}

/** How all servers of a host differ from what was approved. */
export interface LockStatus {
  /** Whether all servers are exactly as approved: CI fails otherwise. */
  readonly matches: boolean;
  /** The servers that could be listed. */
  readonly servers: readonly ServerLockStatus[];
  /** The servers that were approved, and are not configured. */
  readonly missing: readonly string[];
  /** The servers that could not be listed. */
  readonly errors: ReadonlyArray<{ readonly server: string; readonly error: Error }>;
  /** All differences as text, with the values before and after. */
  readonly text: string;
}

export interface LockStatusPorts<S extends ComparedServer = ComparedServer> {
  readonly lock: Promise<Lock>;
  readonly gate: { outdate(server: string): void };
  readonly servers: readonly S[];
  readonly recorder: HostRecorder;
  list(kind: ListedKind, compared: S): Promise<Pick<Listed<object>, 'items' | 'problem'>>;
  /** The lists show other items than before. */
  onApproved(): void;
}

const kinds: readonly ListedKind[] = ['tool', 'prompt', 'template', 'resource'];

export async function lockStatus<S extends ComparedServer>({
  lock: loading,
  servers: all,
  list,
}: LockStatusPorts<S>): Promise<LockStatus> {
  const lock = await loading;
  const servers: ServerLockStatus[] = [];
  const errors: { server: string; error: Error }[] = [];
  const configured = [...all];
  for (const compared of configured) {
    const { server } = compared;
    const listed = await Promise.all(kinds.map(async (kind) => [kind, await list(kind, compared)] as const));
    const problem = listed.find(([, { problem: why }]) => why !== undefined)?.[1].problem;
    const definitions = Object.fromEntries(listed.map(([kind, { items }]) => [kind, items]));
    const seen = problem === undefined ? await seenOf(compared, definitions) : undefined;
    if (seen === undefined) {
      errors.push({ server, error: problem ?? new TenonError('connection-closed', `${server} is not connected.`) });
      continue;
    }
    const comparison = await lock.compare(server, seen);
    servers.push({ server, matches: !hasDrift(comparison), ...comparison, seen });
  }
  const missing = (await lock.servers()).filter((name) => configured.every(({ server }) => server !== name));
  const text = [
    ...servers.map((one) => describeDrift(one.server, one)),
    ...missing.map((name) => `${name}: approved, and not configured`),
    ...errors.map(({ server, error }) => `${server}: ${error.message}`),
  ].join('\n');
  const matches = servers.every((one) => one.matches) && missing.length === 0 && errors.length === 0;
  return { matches, servers, missing, errors, text };
}

/** Approves what a status showed, not what the servers have by now. */
export async function approve(
  ports: Omit<LockStatusPorts, 'servers' | 'list'>,
  status: LockStatus | ServerLockStatus,
  items: readonly LockedItem[] | undefined,
): Promise<void> {
  if (typeof status !== 'object' || status === null || !('seen' in status || 'servers' in status))
    throw new TenonError('invalid-argument', 'approve(): the status is missing.', {
      hint: 'Pass what host.lockStatus() resolves to, or one of its servers.',
    });
  if (items !== undefined) checkItems(status, items);
  const lock = await ports.lock;
  const chosen = 'seen' in status ? [status] : status.servers;
  for (const { server, seen, added, changed, removed } of chosen) {
    const what = (items ?? [...added, ...changed, ...removed]).map(itemOf);
    await ports.recorder.begin({ kind: 'lock', what: { server, approved: what, identity: seen.identity } });
    await lock.approve(server, seen, items);
    ports.gate.outdate(server);
  }
  for (const server of 'missing' in status ? status.missing : []) {
    await ports.recorder.begin({ kind: 'lock', what: { server, withdrawn: true } });
    await lock.remove(server);
  }
  ports.onApproved();
}

/** A misspelled item would silently not be approved. */
function checkItems(status: LockStatus | ServerLockStatus, items: readonly LockedItem[]): void {
  if (!('seen' in status))
    throw new TenonError('invalid-argument', 'approve(): Items can be approved of one server only.', {
      hint: 'Pass one of the `servers` of the status, and items of it.',
    });
  const { added, changed, removed } = status;
  const isOffered = ({ kind, name }: LockedItem): boolean =>
    [...added, ...changed, ...removed].some((one) => one.kind === kind && one.name === name);
  const unknown = Array.isArray(items) ? items.find((item) => !isOffered(item)) : items;
  if (unknown === undefined) return;
  throw new TenonError('invalid-argument', `approve(): The status has no difference ${JSON.stringify(unknown)}.`, {
    hint: 'Pass items of `added`, `changed` or `removed` of the status.',
  });
}
