/** The parts of one bridge: its instances, whose they are, and the calls that wait there. */

import type { ForwardedCall } from '../forwarding/forwarded-call.ts';
import { ParkedCalls } from '../forwarding/parked-calls.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import { isPromiseLike } from '../lib/values/is.ts';
import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import { isOfficialServer } from '../ports/official-server.ts';
import { shareOf } from '../ports/share.ts';
import { rpcError } from '../protocol/errors.ts';
import type { SourceCaller } from '../server/ports/source-caller.ts';
import type { Server } from '../server/server.ts';
import { FeatureMaker } from './features/features.ts';
import { createForward } from './forward.ts';
import type { Introduction } from './instance/instance.ts';
import { allCapabilities, openInstance } from './instance/open-instance.ts';
import { BridgedInstance } from './pool/bridged-instance.ts';
import { type InstancePool, Instances, type Lease, type PoolLimits } from './pool/instances.ts';
import { OneInstance } from './pool/one-instance.ts';
import { introductionOf, ownerOf } from './pool/owner.ts';
import type { CallScope, OfficialServer, OfficialSource } from './types.ts';

export interface BridgeSettings extends PoolLimits {
  readonly scope: CallScope | undefined;
  readonly shared: boolean;
  readonly deadlines: Deadlines;
  /** How long a client may continue a call. */
  readonly ttlMs: number;
  /** The server in front, once it is created. */
  server(): Server | undefined;
  dropped(method: string, reason: string): void;
}

export interface Bridge {
  /** The instance whose lists the server begins with. */
  readonly first: BridgedInstance;
  readonly pool: InstancePool;
  /** The instance of a caller, until it is released. */
  lend(caller: SourceCaller): MaybePromise<Lease>;
  readonly parked: ParkedCalls<ForwardedCall>;
  /** Whether the first instance is the only one. */
  readonly isOne: boolean;
}

export async function createBridge(source: OfficialSource, settings: BridgeSettings): Promise<Bridge> {
  const { scope, shared: isShared, deadlines, dropped } = settings;
  const create = creatorOf(source);
  const isOne = isShared || typeof source !== 'function';
  const parked = new ParkedCalls<ForwardedCall>(deadlines, settings.ttlMs);
  const joined = (lease: Lease, caller: SourceCaller): Lease => {
    lease.bridged.join(caller);
    return lease;
  };
  const lend = (caller: SourceCaller): MaybePromise<Lease> => {
    // Its instance would never learn that the session has ended.
    if (caller.caller.session?.isEnded === true) throw rpcError('connection-error', 'The session has ended.');
    const lease = pool.lend({ ...ownerOf(caller), share: shareOf(caller) }, (onClose) =>
      open(introductionOf(caller.caller), onClose, caller),
    );
    return isPromiseLike(lease) ? lease.then((lent) => joined(lent, caller)) : joined(lease, caller);
  };
  const maker = new FeatureMaker(createForward({ lend, calls: { parked, dropped } }), dropped);

  async function open(
    introduction: Introduction,
    onClose: () => void,
    caller?: SourceCaller,
  ): Promise<BridgedInstance> {
    const server = isOne ? settings.server : undefined;
    const bridged = new BridgedInstance({ maker, deadlines, dropped, isShared, server });
    if (caller !== undefined) bridged.join(caller);
    // The one that is only listed has no client.
    else if (!isOne) bridged.answeredRoots({ roots: [] });
    const closed = (): void => {
      bridged.closed();
      onClose();
    };
    await openInstance(
      create,
      introduction,
      { scope, deadlines, isShared, outside: bridged, dropped, closed },
      bridged,
    );
    return bridged;
  }

  const first = await listed(await open(allCapabilities, () => {}));
  const pool = isOne ? new OneInstance(first, isShared) : new Instances(settings, deadlines);
  // Not at once: some servers do more a moment after they are initialized.
  if (!isOne) deadlines.add(settings.idleMs, () => first.instance.close(), false);
  return { first, pool, lend, parked, isOne };
}

async function listed(first: BridgedInstance): Promise<BridgedInstance> {
  try {
    await first.load();
    return first;
  } catch (error) {
    first.instance.close();
    throw error;
  }
}

function creatorOf(source: OfficialSource): () => OfficialServer | Promise<OfficialServer> {
  if (typeof source === 'function') return source;
  if (isOfficialServer(source)) return () => source;
  throw new TenonError('invalid-argument', 'fromOfficial() needs a server of the official MCP SDK.', {
    hint: 'Pass a function that creates one, such as fromOfficial(() => createMcpServer()).',
  });
}
