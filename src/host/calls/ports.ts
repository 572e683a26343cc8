/** The ports of all calls of a host. */
import type { Lists } from '../lists/lists.ts';
import type { LockGate } from '../lock/gate.ts';
import type { HostOptions } from '../options.ts';
import type { HostRecorder } from '../requests/audit.ts';
import type { CheckConsent } from '../requests/consent.ts';
import type { Permissions } from '../requests/permissions.ts';
import type { HostServer } from '../servers/host-server.ts';
import type { StoredLists } from '../stored-lists/list-store.ts';

export interface CallPorts {
  readonly options: HostOptions;
  readonly hostServers: readonly HostServer[];
  readonly lists: Lists;
  readonly permissions: Permissions;
  /** Absent without a lock. */
  readonly gate: LockGate<HostServer> | undefined;
  /** Absent where lists are requested from the servers. */
  readonly stored: StoredLists | undefined;
  readonly checkConsent: CheckConsent;
  readonly recorder: HostRecorder;
  /** Aborted when the host is closed. */
  readonly closed: AbortSignal;
}
