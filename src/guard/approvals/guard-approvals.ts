/** The approvals of a guard: in the store of its option, of its servers, or in memory. */
import { createDeadlines, type Deadlines } from '../../lib/time/deadlines.ts';
import { StoreOfServers } from '../../server/kernel/store-users.ts';
import type { ApprovalStore } from '../../store/approval-store.ts';
import { memoryApprovals } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { timed } from '../../store/timed.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Approvals, approvalsOn } from './approvals.ts';
import type { ApprovalPorts, ApprovalSettings } from './approve-call.ts';
import { StoredApprovals } from './stored-approvals.ts';

export interface GuardApprovals {
  readonly ports: ApprovalPorts;
  readonly approvals: Approvals;
  /** Uses the store of a server, unless the option names another. Returns a function that ends it. */
  useStore(store: Store): () => void;
}

export function guardApprovals(settings: ApprovalSettings, audit: AuditLog | undefined): GuardApprovals {
  const deadlines = createDeadlines();
  const inTime = (store: ApprovalStore): ApprovalStore => boundedStore(store, settings.storeTimeoutMs, deadlines);
  const own = inTime(settings.store ?? memoryApprovals());
  const ofServers = new StoreOfServers(
    'The guard',
    'Pass the same store to all servers of a guard, or set approvals.store.',
  );
  let current = own;
  const stored = new StoredApprovals(() => current);
  return {
    ports: { stored, settings, audit },
    approvals: approvalsOn(stored, audit),
    useStore(store) {
      if (settings.store !== undefined || store.approvals === undefined) return () => undefined;
      if (ofServers.current === undefined) current = inTime(store.approvals);
      const detach = ofServers.attach(store);
      return () => {
        detach();
        if (ofServers.current === undefined) current = own;
      };
    },
  };
}

/** A store that does not answer fails by name, and nothing runs. */
export const boundedStore = (store: ApprovalStore, timeoutMs: number, deadlines: Deadlines): ApprovalStore =>
  (timed({ approvals: store } as unknown as Store, timeoutMs, deadlines).store as Required<Pick<Store, 'approvals'>>)
    .approvals;
