/** `createGateway()`: one server in front of many, which keeps their callers apart. */
import type { TenonError } from '../lib/errors/tenon-error.ts';
import { createWarningLog } from '../lib/errors/warning-log.ts';
import { callback, checkOptions, has, type Rules } from '../lib/options/option-rules.ts';
import { readOptions, withDefaults } from '../lib/options/read-options.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import { deadlinesIn } from '../lib/time/internal-deadlines.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import { version as ownVersion } from '../protocol/generated/version.ts';
import { internalsOf } from '../server/internals.ts';
import { withSource } from '../server/kernel/feature-source.ts';
import { registryOf } from '../server/kernel/serving.ts';
import type { ServerOptions } from '../server/options.ts';
import { requestStateOptions } from '../server/ports/option-groups.table.ts';
import type { SourceCaller } from '../server/ports/source-caller.ts';
import type { Registry } from '../server/registry/registry.ts';
import { createServer, type Server } from '../server/server.ts';
import { Approvals } from './approvals.ts';
import { RequiredAccounts } from './calls/required-accounts.ts';
import { SearchTools, withSearchTools } from './catalogue/search-tools.ts';
import { ConnectionRoom } from './connections/room.ts';
import { DroppedMessages } from './dropped-messages.ts';
import { GatewaySource } from './gateway-source.ts';
import { OtherNodes } from './nodes/other-nodes.ts';
import { gatewayLimits, searchOptions } from './options.table.ts';
import { checkUpstreams } from './options-check.ts';
import type { Gateway, GatewayOptions } from './types.ts';
import { UpstreamSet } from './upstream-set.ts';

/** Names that a policy may use are those of callers: the definition has none to compare with. */
function withCallerNames(options: ServerOptions, hasSearch: boolean): ServerOptions {
  const { guard } = options;
  if (guard === undefined) return options;
  const { checkNames: _, ...others } = guard;
  return { ...options, guard: hasSearch ? withSearchTools(others) : others };
}

function searchOf(
  given: GatewayOptions['search'] = false,
  visible: (caller: SourceCaller) => Registry,
): SearchTools | undefined {
  if (given === false) return undefined;
  return new SearchTools(readOptions('createGateway() search', searchOptions, given === true ? {} : given), visible);
}

const portRules: Rules = {
  lock: { holds: (value) => has(value, 'compare'), must: "be a lock, such as lockFile('gateway.lock') of tenon/guard" },
  telemetry: { ...callback, must: 'be what clientTelemetry() of tenon/telemetry returns' },
};

/**
 * Creates a server in front of others: `await serveHttp(createGateway({ upstreams }).server)`. It connects to an upstream
 * when a caller needs it, and for each principal anew.
 *
 * ```ts
 * const gateway = createGateway({
 *   upstreams: {
 *     files: { command: 'mcp-server-filesystem', args: ['/srv'] },
 *     weather: { url: 'https://weather.example.com/mcp' },
 *   },
 * });
 * const service = await serveHttp(gateway.server);
 * ```
 */
export function createGateway(options: GatewayOptions): Gateway {
  const { upstreams, name = 'gateway', version = ownVersion, lock, telemetry, server: serverOptions = {} } = options;
  const limits = readOptions('createGateway() limits', gatewayLimits, options.limits);
  const search = searchOf(options.search, (caller) => registryOf(internalsOf(server).serving, caller));
  checkUpstreams(upstreams);
  checkOptions('createGateway()', { lock, telemetry }, portRules);
  const testDeadlines = deadlinesIn(serverOptions);
  const deadlines = testDeadlines ?? createDeadlines();
  const onWarning = options.onWarning ?? createWarningLog();
  const warn = (warning: TenonError): void => runSafely(() => onWarning(warning));
  const dropped = new DroppedMessages(warn);
  const drop = (method: string, reason: string): void => dropped.add(method, reason);
  const required = new RequiredAccounts();
  const others: OtherNodes = new OtherNodes({
    store: () => internalsOf(server).serving.store.current,
    calls: () => set,
    deadlines,
    warn,
  });
  const set: UpstreamSet = new UpstreamSet(
    {
      deadlines,
      testDeadlines,
      clientInfo: { name, version },
      ttlMs: withDefaults(requestStateOptions, serverOptions.requestState).ttlMs,
      room: new ConnectionRoom(limits.maxConnections),
      lock,
      telemetry,
      required,
      others,
      dropped: drop,
      warn,
    },
    upstreams,
  );
  const source = new GatewaySource({
    set,
    required,
    others,
    base: (): Registry => internalsOf(server).serving.registry(),
    deadlines,
    listMs: limits.listMs,
    search,
    dropped: drop,
  });
  const definition = { name, version, tools: {}, resources: {}, prompts: {} };
  const server = createServer(definition, {
    ...withCallerNames(serverOptions, search !== undefined),
    ...withSource(source),
  }) as Server;
  const { serving } = internalsOf(server);
  serving.endings.listen((key) => source.ended(key));
  const listsChanged = (): void => {
    for (const kind of ['tools', 'resources', 'prompts'] as const) serving.changes.publish({ kind });
  };
  const approvals = new Approvals(lock, set, listsChanged);
  const close = (): Promise<void> => {
    source.close();
    others.close();
    return set.close();
  };
  return gatewayOf({ server, set, approvals, dropped, listsChanged, hasLock: lock !== undefined, close });
}

interface GatewayParts extends Pick<Gateway, 'server' | 'close'> {
  readonly set: UpstreamSet;
  readonly approvals: Approvals;
  readonly dropped: DroppedMessages;
  readonly hasLock: boolean;
  listsChanged(): void;
}

function gatewayOf({ server, set, approvals, dropped, hasLock, listsChanged, close }: GatewayParts): Gateway {
  return {
    server,
    status: () => ({
      upstreams: Object.fromEntries(set.list.map((upstream) => [upstream.name, set.statusOf(upstream)])),
      dropped: dropped.counts(),
    }),
    async reload(next) {
      checkUpstreams(next.upstreams);
      const reloaded = set.reload(next.upstreams);
      set.compareAgain();
      const isChanged = reloaded.added.length + reloaded.removed.length + reloaded.changed.length > 0;
      if (isChanged || hasLock) listsChanged();
      return reloaded;
    },
    connections: () => set.all.flatMap((upstream) => upstream.connections),
    revoke: (principal, only) => set.revoke(principal, only),
    async drain(upstream) {
      set.renew(upstream);
      listsChanged();
    },
    lockStatus: async () => approvals.status(),
    approve: async (...approved) => approvals.approve(...approved),
    close,
    [Symbol.asyncDispose]: close,
  };
}
