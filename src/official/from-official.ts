/** `fromOfficial()`: a server of the official MCP SDK, unchanged, as a Tenon server. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { readOptions, withDefaults } from '../lib/options/read-options.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import { deadlinesIn } from '../lib/time/internal-deadlines.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import { isOfficialServer } from '../ports/official-server.ts';
import { internalsOf } from '../server/internals.ts';
import { requestStateOptions } from '../server/ports/option-groups.table.ts';
import { createServer, type Server } from '../server/server.ts';
import { FeatureMaker } from './features/features.ts';
import { type BridgedServer, followLists, isListChange, type ListFollower } from './features/list-changes.ts';
import { definitionOf, nameUnserved } from './features/server-definition.ts';
import { createForward, type Forwarding } from './forward.ts';
import { readLists } from './instance/lists.ts';
import { allCapabilities, type OpenedInstance, openInstance } from './instance/open-instance.ts';
import { instanceOptions } from './options.table.ts';
import type { InstanceOptions, OfficialOptions } from './options.ts';
import { ParkedCalls } from './parked-calls.ts';
import { type InstancePool, Instances } from './pool/instances.ts';
import { OneInstance, onlyInstanceHint } from './pool/one-instance.ts';
import type { CallScope, OfficialServer, OfficialSource } from './types.ts';

/** `fromOfficial()`. */
export type FromOfficial = (source: OfficialSource, options?: OfficialOptions) => Promise<Server>;

/** Makes `fromOfficial()`; `scope` knows the call of the running code; it is absent where the platform does not. */
export const bridgeWith =
  (scope: CallScope | undefined): FromOfficial =>
  async (source, options = {}) => {
    const { shared, maxInstances, idleMs, onDropped, ...serverOptions } = options;
    const own = { shared, maxInstances, idleMs, onDropped } as InstanceOptions;
    const settings = readOptions('fromOfficial()', instanceOptions, own);
    const create = creatorOf(source);
    const deadlines = deadlinesIn(options) ?? createDeadlines();
    const dropped = (method: string, reason: string): void =>
      runSafely(
        () => onDropped?.({ method, reason }),
        () => {},
      );
    const ports = { scope, isShared: settings.shared, dropped };
    let follower: ListFollower | undefined;
    let isStale = false;
    const listChanged = (): void => {
      isStale = true;
      follower?.changed();
    };
    const first = await openInstance(create, allCapabilities, deadlines, {
      ...ports,
      notified: (method) => (isListChange(method) ? listChanged() : dropped(method, outsideCalls)),
      closed: () => {},
    });
    const pool: InstancePool =
      settings.shared || typeof source !== 'function'
        ? new OneInstance(first.instance, settings.shared)
        : new Instances(settings, deadlines);
    const { ttlMs } = withDefaults(requestStateOptions, serverOptions.requestState);
    const forwarding: Forwarding = {
      pool,
      open: async (introduction, closed) =>
        (await openInstance(create, introduction, deadlines, { ...ports, closed })).instance,
      calls: { parked: new ParkedCalls(deadlines, ttlMs), dropped },
    };
    const maker = new FeatureMaker(createForward(forwarding), dropped);
    const bridged = await serve(first, maker, serverOptions, dropped);
    const { server } = bridged;
    follower = followLists(first, maker, bridged, dropped);
    if (isStale) follower.changed();
    const { serving, networkChecks } = internalsOf(server);
    serving.endings.listen((key) => pool.ended(key));
    if (!settings.shared && typeof source !== 'function') networkChecks.push(refuseNetwork);
    return server;
  };

async function serve(
  { instance, initialized }: OpenedInstance,
  maker: FeatureMaker,
  options: OfficialOptions,
  dropped: (method: string, reason: string) => void,
): Promise<BridgedServer> {
  const { capabilities } = initialized;
  nameUnserved(capabilities, dropped);
  const features = maker.make(await readLists(instance, capabilities));
  return { server: createServer(definitionOf(initialized, features), options) as Server, features };
}

const outsideCalls = 'It belongs to no call in progress.';

function creatorOf(source: OfficialSource): () => OfficialServer | Promise<OfficialServer> {
  if (typeof source === 'function') return source;
  if (isOfficialServer(source)) return () => source;
  throw new TenonError('invalid-argument', 'fromOfficial() needs a server of the official MCP SDK.', {
    hint: 'Pass a function that creates one, such as fromOfficial(() => createMcpServer()).',
  });
}

function refuseNetwork(): void {
  throw new TenonError(
    'invalid-argument',
    'fromOfficial() got one server, not a function: over HTTP each client needs one of its own.',
    { hint: onlyInstanceHint },
  );
}

/**
 * Serves a server of the official MCP SDK, unchanged: `await fromOfficial(() => createMcpServer())` resolves with a Tenon
 * server. This platform does not know the call that the running code belongs to: a request of a handler that names no call is
 * sent only while one call of its instance is in progress.
 */
export const fromOfficial: FromOfficial = bridgeWith(undefined);
