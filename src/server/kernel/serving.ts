/** What all connections of one server share. */

import type { GuardedCaller, ServerGuard } from '../../ports/guard.ts';
import type { RootsListChange } from '../definition/context.ts';
import type { Middleware } from '../definition/middleware.ts';
import type { CallLimits } from '../ports/call-limits.ts';
import type { ChangeNotifier } from '../ports/change-notifications.ts';
import type { ConnectionEndings } from '../ports/connection-endings.ts';
import type { SourceCaller } from '../ports/source-caller.ts';
import type { Registry } from '../registry/registry.ts';
import { visibleRegistry } from '../registry/visible-registry.ts';
import type { Sealer } from '../server-requests/sealed-state.ts';
import type { AttachedStore } from './attached-store.ts';
import type { FeatureSource } from './feature-source.ts';
import type { UsedStates } from './runs/used-states.ts';

export interface Serving extends CallLimits {
  /** The current features of the definition. */
  registry(): Registry;
  /** Where the features of callers come from, if they differ; absent if all have those of the definition. */
  readonly source: FeatureSource | undefined;
  /** Decides who sees and does what; absent if every caller may do everything. */
  readonly guard: ServerGuard | undefined;
  readonly changes: ChangeNotifier;
  /** The sessions and connections that have ended. */
  readonly endings: ConnectionEndings;
  readonly middleware: readonly Middleware[];
  readonly sealer: Sealer;
  /** How many calls of one connection may run at once. */
  readonly maxConcurrentCalls: number;
  /** The schemes that the URL of an elicitation may have. */
  readonly urlSchemes: readonly string[];
  /** Whether handlers that request input are replayed under every revision, as in the exchange lifecycle. */
  readonly replay: boolean;
  /** Whether input responses need the state of the call that requested them. */
  readonly requiresState: boolean;
  /** The states of calls that have finished. */
  readonly usedStates: UsedStates;
  /** Stores state that outlives a call, if the server is served with a store. */
  readonly store: AttachedStore;
  /** Called when the roots of a client have changed. */
  readonly onRootsListChanged: ((change: RootsListChange) => unknown) | undefined;
  /** The clock by which states expire. */
  now(): number;
}

/** All features that a caller has. */
export const wholeRegistry = (
  { source, registry }: Pick<Serving, 'source' | 'registry'>,
  caller: SourceCaller,
): Registry => (source === undefined ? registry() : source.registryFor(caller));

/** Those of them that it sees. */
export const visibleTo = ({ guard }: Pick<Serving, 'guard'>, whole: Registry, caller: GuardedCaller): Registry =>
  guard === undefined ? whole : visibleRegistry(whole, guard, caller);

/** The features that a caller has and sees. */
export const registryOf = (serving: Pick<Serving, 'guard' | 'source' | 'registry'>, caller: SourceCaller): Registry =>
  visibleTo(serving, wholeRegistry(serving, caller), caller);
