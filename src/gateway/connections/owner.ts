/** Whose a connection to an upstream is: two callers share one only if they have the same owner. */
import type { Principal } from '../../ports/principal.ts';
import { shareOf } from '../../ports/share.ts';
import type { ClientFeature } from '../../server/definition/context.ts';
import type { SourceCaller } from '../../server/ports/source-caller.ts';
import { clientSupports } from '../../server/server-requests/client-support.ts';
import type { Share } from '../types.ts';

/** The features that are declared to an upstream if the caller supports them. */
const forwarded = ['elicitation.form', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'] as const;

export type ForwardedFeature = (typeof forwarded)[number] & ClientFeature;

/** A caller, as far as it decides on the connection. */
export interface ConnectionUser {
  /** Names the owner and what is declared; absent if no two calls may share a connection. */
  readonly key: string | undefined;
  /** Names the owner of lists: callers who cannot be distinguished share them. */
  readonly listKey: string;
  readonly features: readonly ForwardedFeature[];
  /** Absent where all callers share it: then it has the credentials of no user. */
  readonly principal: Principal | undefined;
  /** The session or connection of the caller; absent where every request comes alone. */
  readonly session: string | undefined;
  /** Whether that is the owner: its connections close with it. */
  readonly isOfSession: boolean;
  /** Whose share of the limits it counts for. */
  readonly share: string | undefined;
  /** Whose failures are counted together; absent if they are those of all callers. */
  readonly failsAs: string | undefined;
}

/** What distinguishes the tokens of one principal: one with fewer scopes must not act with what another one may do. */
export const rightsOf = ({ client, scopes }: Pick<Principal, 'client' | 'scopes'>): readonly string[] => [
  client ?? '',
  ...[...scopes].sort(),
];

/** With `isOfClient` clients of one principal share nothing: what the upstream gets may have been allowed for one of them. */
export function userOf(caller: SourceCaller, share: Share, isOfClient = false): ConnectionUser {
  const client = isOfClient && share !== 'all' ? rightsOf(caller.principal ?? { client: '', scopes: [] }) : [];
  const owner = ownerOf(caller, share)?.concat(client);
  const features = forwarded.filter((feature) => clientSupports(caller.caller, feature));
  const key = owner && JSON.stringify([...owner, features]);
  return {
    key,
    listKey: key ?? JSON.stringify(['alone', caller.principal?.key ?? '', ...client, features]),
    features,
    principal: share === 'all' ? undefined : caller.principal,
    session: caller.connectionKey,
    isOfSession: owner?.[0] === 'session',
    share: shareOf(caller),
    failsAs: share === 'all' ? undefined : shareOf(caller),
  };
}

/** The texts differ for owners of different kinds: no principal has the name of a session. */
function ownerOf({ principal, connectionKey }: SourceCaller, share: Share): readonly string[] | undefined {
  if (share === 'all') return ['all'];
  if (share === 'principal' && principal !== undefined) return ['principal', principal.key];
  if (share === 'call' || connectionKey === undefined) return undefined;
  return ['session', connectionKey, principal?.key ?? ''];
}

/** Whether it is the principal with this key and, if one is named, this client: empty for tokens that name none. */
export const isUserOf = ({ principal: own }: ConnectionUser, principal: string, client: string | undefined): boolean =>
  own?.key === principal && (client === undefined || (own.client ?? '') === client);
