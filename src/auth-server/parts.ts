/** What the parts of a running authorization server share. */
import type { Store } from '../store/store.ts';
import type { SealedClients } from './clients/sealed-client.ts';
import type { Report } from './events.ts';
import type { ProviderClient } from './provider-client/provider-client.ts';
import type { Resources } from './resources.ts';
import type { Secrets } from './secrets.ts';
import type { AuthorizationServerSettings } from './settings.ts';
import type { AccountStore } from './storage/accounts.ts';
import type { ProviderLock } from './storage/provider-lock.ts';
import type { Revocations } from './storage/revocations.ts';
import type { SealedRows } from './storage/sealed-rows.ts';

export interface Parts {
  readonly settings: AuthorizationServerSettings;
  readonly issuer: string;
  readonly resources: Resources;
  readonly secrets: Secrets;
  readonly clients: SealedClients;
  /** The store of the service, or memory of this process. */
  readonly store: Store;
  /** Its rows, encrypted. */
  readonly rows: SealedRows;
  readonly accounts: AccountStore;
  readonly revocations: Revocations;
  readonly provider: ProviderClient;
  readonly lock: ProviderLock;
  readonly report: Report;
}
