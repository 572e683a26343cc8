/** Who calls a server whose features differ between callers. */

import type { GuardedCaller } from '../../ports/guard.ts';
import type { CallerInfo } from './caller.ts';
import type { Link } from './link.ts';

/** A caller, as a source of features knows it. */
export interface SourceCaller extends GuardedCaller {
  readonly caller: CallerInfo;
  /** Names its session, or its connection; absent where every request comes alone. */
  readonly connectionKey?: string | undefined;
}

/** The caller of a request that runs no call. */
export const sourceCaller = (
  { principal, address, sessionKey }: Pick<Link, 'principal' | 'address' | 'sessionKey'>,
  caller: CallerInfo,
): SourceCaller => ({ principal, address, connectionKey: sessionKey, caller });
