/** Removes items from the lists that were not approved, or that the policy does not show. */
import type { ListedKind } from '../../ports/lock.ts';
import type { LockGate } from '../lock/gate.ts';
import type { Permissions } from '../requests/permissions.ts';
import type { HostServer } from '../servers/host-server.ts';
import { ownNameOf } from '../servers/listed-kind.ts';
import type { Screen } from './lists.ts';

export const createScreen = (permissions: Permissions, gate: LockGate<HostServer> | undefined): Screen => ({
  version: (server) => gate?.version(server) ?? 0,
  async screen(hostServer, kind, listed, version) {
    await permissions.ready();
    const { server } = hostServer;
    const isComplete = listed.problem === undefined;
    const approved = await gate?.review(hostServer, kind, listed.items, isComplete, version);
    return {
      items: allowed(permissions, server, kind, approved?.items ?? listed.items),
      problem: listed.problem ?? approved?.problem,
      leftOut: (listed.leftOut ?? []).filter((one) => isShown(permissions, server, kind, one.details.tool)),
    };
  },
  async screenStored({ server }, kind, { items, problem, isApproved }) {
    await permissions.ready();
    const shown = gate === undefined || isApproved ? items : [];
    return { items: allowed(permissions, server, kind, shown), problem };
  },
});

const allowed = <T>(permissions: Permissions, server: string, kind: ListedKind, items: readonly T[]): T[] =>
  items.filter((item) => isShown(permissions, server, kind, ownNameOf(kind, item)));

const isShown = ({ effect }: Permissions, server: string, kind: ListedKind, name: unknown): boolean =>
  effect('list', { server, [kind]: name }) !== 'deny';
