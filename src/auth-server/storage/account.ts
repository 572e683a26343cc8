/** An account: what is known of a user of the provider, and which clients they have approved. Pure functions change it. */
import type { ProviderTokens } from '../provider-client/provider-client.ts';
import type { ProviderUser } from '../providers/sign-in-provider.ts';

/** A client that the user has approved, or whose access was revoked. */
export interface ApprovedClient {
  /** The name that the user saw. */
  readonly name: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** When it was approved last; absent: its access was revoked. Milliseconds since the Unix epoch. */
  readonly approvedAt?: number;
  /** What it got before this moment is not valid any more. */
  readonly notBefore: number;
}

/** A user of the provider. One row: `revoke` is one write. */
export interface Account {
  /** `name:subject`, such as `github:583231`. */
  readonly subject: string;
  readonly user: ProviderUser;
  /** Tokens of the provider; absent: it gave none that are needed, or they were revoked there. */
  readonly tokens?: ProviderTokens;
  /** When the provider was last asked about the user. */
  readonly checkedAt: number;
  /** By client ID. */
  readonly clients: Readonly<Record<string, ApprovedClient>>;
  /** What any client got before this moment is not valid any more. */
  readonly notBefore: number;
}

/**
 * Clients that one user has approved.
 * @limit auth-server
 * @beyond the one that was approved first must ask again
 */
export const maxApprovedClients = 200;

/** The account after its user has signed in. */
export const signedIn = (
  account: Account | undefined,
  subject: string,
  user: ProviderUser,
  tokens: ProviderTokens | undefined,
  now: number,
): Account => ({
  subject,
  user,
  ...(tokens && { tokens }),
  checkedAt: now,
  clients: account?.clients ?? {},
  notBefore: account?.notBefore ?? 0,
});

/** The account after its tokens of the provider were refreshed. Unchanged if they were revoked or replaced meanwhile. */
export const withTokens = (
  account: Account | undefined,
  before: ProviderTokens,
  tokens: ProviderTokens,
  changes: Partial<Pick<Account, 'user' | 'checkedAt'>> = {},
): Account | undefined =>
  account?.tokens?.accessToken === before.accessToken ? { ...account, ...changes, tokens } : account;

/** The account after its user has approved a client. */
export function approved(
  account: Account,
  id: string,
  client: Pick<ApprovedClient, 'name' | 'redirectUri' | 'scopes'>,
  now: number,
): Account {
  const notBefore = clientOf(account, id)?.notBefore ?? 0;
  return bounded({ ...account, clients: { ...account.clients, [id]: { ...client, approvedAt: now, notBefore } } });
}

/** When one client, or any, was approved last; 0 if none is. */
export const approvedUntil = ({ clients }: Account, client?: string): number =>
  Math.max(0, ...Object.entries(clients).map(([id, { approvedAt = 0 }]) => ((client ?? id) === id ? approvedAt : 0)));

/** The account after its access was revoked: that of one client, or of all. An earlier moment takes nothing back. */
export function revoked(account: Account, notBefore: number, client?: string): Account {
  const clients = Object.entries(account.clients).map(([id, one]): [string, ApprovedClient] => {
    if (client !== undefined && id !== client) return [id, one];
    const { approvedAt: _, ...rest } = one;
    return [id, { ...rest, notBefore: Math.max(rest.notBefore, notBefore) }];
  });
  if (client !== undefined) return { ...account, clients: Object.fromEntries(clients) };
  const { tokens: _, ...rest } = account;
  return { ...rest, notBefore: Math.max(rest.notBefore, notBefore), clients: Object.fromEntries(clients) };
}

/** Whether what a client got at a moment, in seconds since the Unix epoch as tokens have it, is still valid. */
export function isValid(account: Account | undefined, client: string, grantedAtSeconds: number): boolean {
  const found = account && clientOf(account, client);
  if (account === undefined || found?.approvedAt === undefined) return false;
  return grantedAtSeconds * 1000 >= Math.max(account.notBefore, found.notBefore);
}

/** Own properties only: client IDs are chosen by others. */
const clientOf = ({ clients }: Account, id: string): ApprovedClient | undefined =>
  Object.hasOwn(clients, id) ? clients[id] : undefined;

function bounded(account: Account): Account {
  const entries = Object.entries(account.clients);
  if (entries.length <= maxApprovedClients) return account;
  const changedAt = ({ approvedAt = 0, notBefore }: ApprovedClient): number => Math.max(approvedAt, notBefore);
  const [oldest, ...rest] = entries.toSorted(([, one], [, other]) => changedAt(one) - changedAt(other));
  // What was revoked must not become valid again once the client is approved again.
  const notBefore = oldest?.[1].approvedAt === undefined ? (oldest?.[1].notBefore ?? 0) : 0;
  return { ...account, clients: Object.fromEntries(rest), notBefore: Math.max(account.notBefore, notBefore) };
}
