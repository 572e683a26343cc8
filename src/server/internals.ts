/** The internals of a server, for transports such as HTTP that do not use `accept()`. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { isOfficialServer, officialHint } from '../ports/official-server.ts';
import type { Store } from '../store/store.ts';
import type { UsedStore } from './kernel/attached-store.ts';
import type { Serving } from './kernel/serving.ts';
import type { OfferedRevisions } from './lifecycle/offered-revisions.ts';
import type { ConnectionEndings } from './ports/connection-endings.ts';

export interface ServerInternals {
  readonly serving: Serving;
  readonly offered: OfferedRevisions;
  /** The option `secrets`, if set. */
  readonly secrets: readonly string[] | undefined;
  /** Attaches the store that the server is served with; throws if it does not fit the server. `timeoutMs` bounds each operation. */
  useStore(store: Store, timeoutMs: number | undefined): UsedStore;
  /** For a server that is served without a store: throws if a feature needs one. */
  checkStore(): void;
  /** Called before the server is served to a network: each throws if it may not be. */
  readonly networkChecks: (() => void)[];
}

const internals: unique symbol = Symbol('tenon.internals');

/** A server, as transports take it: only `createServer()` creates one. */
export interface ServerLike {
  readonly [internals]: ServerInternals;
}

/** Not enumerable: a copy of a server is not a server. */
export const withInternals = <S extends object>(
  server: S,
  value: Omit<ServerInternals, 'networkChecks'>,
): S & ServerLike =>
  Object.defineProperty(server, internals, { value: { ...value, networkChecks: [] } }) as S & ServerLike;

/** Throws if plain JavaScript passes something else than a server. */
export function internalsOf(server: ServerLike): ServerInternals {
  const found = (server as Partial<ServerLike> | null | undefined)?.[internals];
  if (found !== undefined) return found;
  const isOfficial = isOfficialServer(server);
  throw new TenonError(
    'invalid-argument',
    isOfficial ? 'The first argument is a server of the official MCP SDK.' : 'The first argument is not a server.',
    { hint: isOfficial ? officialHint : 'Pass the result of createServer().' },
  );
}

/** The same for a server that is served to a network. */
export function internalsForNetwork(server: ServerLike): ServerInternals {
  const found = internalsOf(server);
  for (const check of found.networkChecks) check();
  return found;
}

/** Whether a mounted server has a guard, which would not be asked where it is mounted. */
export const isGuarded = (mounted: object): boolean =>
  (mounted as Partial<ServerLike>)[internals]?.serving.guard !== undefined;

/** The ends of connections, for what mounted servers have opened for them. */
export const endingsOf = (mounted: readonly object[]): readonly ConnectionEndings[] =>
  mounted.flatMap((one) => (one as Partial<ServerLike>)[internals]?.serving.endings ?? []);

/** Whether this copy of the package created the server: a project may have another one. */
export const isOwnServer = (server: object): boolean => internals in server;
