/** Builds a host: one client for each server, one interface to all of them. */
import type { CallOptions } from '../client/api/client.ts';
import { checkFilter } from '../client/changes/changes.ts';
import { toWarning } from '../jsonrpc/errors.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Rules } from '../lib/options/option-rules.ts';
import { createDeadlines, type Deadlines } from '../lib/time/deadlines.ts';
import { deadlinesIn } from '../lib/time/internal-deadlines.ts';
import type { Fields } from '../lib/values/is.ts';
import { isRecord } from '../lib/values/is.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import type { LockedItem } from '../ports/lock.ts';
import { createPrincipal, type Principal } from '../ports/principal.ts';
import type { MethodDefinition } from '../protocol/extensions/extension.ts';
import type { SubscriptionFilter } from '../protocol/generated/types/records.ts';
import { memoryConsents } from '../store/parts/stored-consents.ts';
import type { Host } from './api.ts';
import { permitRequest } from './calls/permit.ts';
import type { CallPorts } from './calls/ports.ts';
import { createPrompts } from './calls/prompts.ts';
import { createResources } from './calls/resources.ts';
import { createTools } from './calls/tools.ts';
import { serverOfUri } from './lists/find-server.ts';
import { createLists, type Lists, listOwn } from './lists/lists.ts';
import { createScreen } from './lists/screen.ts';
import { LockGate } from './lock/gate.ts';
import { approve, type LockStatus, type LockStatusPorts, lockStatus, type ServerLockStatus } from './lock/status.ts';
import { hostOptions } from './options.table.ts';
import type { HostOptions } from './options.ts';
import { checkShape, hostProblems, refuseAll } from './options-check.ts';
import { createRecorder } from './requests/audit.ts';
import { createConsentCheck } from './requests/consent.ts';
import { createDecisionReporter } from './requests/decisions.ts';
import { createElicitationQueue } from './requests/elicitation-queue.ts';
import { type AnswerPorts } from './requests/handlers.ts';
import { createPermissions, type Permissions } from './requests/permissions.ts';
import { createQuestions } from './requests/questions.ts';
import { RememberedConsents } from './requests/remembered.ts';
import { type OpenClient, ServerSet } from './server-set.ts';
import { type ChangeBroadcast, type ChangeObserver, createChangeBroadcast, type FilterFor } from './servers/changes.ts';
import { type ConfiguredServer, readServers } from './servers/config.ts';
import type { HostServer } from './servers/host-server.ts';
import { type Environment, noVariables, readVariables, type Variables } from './servers/variables.ts';
import { type HostSettings, readSettings } from './settings.ts';
import type { StoredListPorts } from './stored-lists/from-store.ts';
import { createStoredLists } from './stored-lists/stored-lists.ts';

/** Creates a host whose clients are made by `open`, by the table of their options. Connects no server. `onClose` is called after it has closed. */
export function buildHost(
  options: HostOptions,
  open: OpenClient,
  table: typeof hostOptions = hostOptions,
  processEnv: Environment = {},
  onClose: () => void = () => {},
): Host {
  const { variables, configured } = readConfiguration(options, table, processEnv);
  const settings = readSettings(options, table);
  const deadlines = deadlinesIn(options) ?? createDeadlines();
  const warn = (server: string, error: unknown): void => {
    runSafely(() => settings.onWarning?.(server, toWarning(error)));
  };
  const principal = settings.principal === undefined ? undefined : createPrincipal(settings.principal);
  const recorder = createRecorder(settings.audit, principal);
  const permissions = createPermissions({
    policy: settings.policy,
    principal,
    recorder,
    onChange: () => servers.reportListChanges(),
  });
  const reportDecision = createDecisionReporter(settings.onDecision, settings.includeRequests, recorder, warn);
  const closing = new AbortController();
  const closed = closing.signal;
  const questions = createQuestions({ ...settings.limits, ...settings.timeouts }, () => deadlines.now());
  const checkConsent = createConsentCheck({
    ...consentSettings(settings, principal),
    deadlines,
    reportDecision,
    questions,
    closing: closed,
    warn,
  });
  const deciding = { options: settings, permissions, checkConsent };
  const answering: AnswerPorts = {
    ...deciding,
    deadlines,
    elicitations: createElicitationQueue(),
    questions,
    reportDecision,
    lockProblem: async (server) => gate?.problemOf(servers.named(server, 'lock')),
    closing: closed,
  };
  const lock = settings.lock === undefined ? undefined : Promise.resolve(settings.lock);
  const gate =
    lock &&
    new LockGate<HostServer>({
      lock,
      recorder,
      refresh: async (kind, hostServer) => (await lists.refresh(kind, hostServer)).problem,
      list: listOwn,
      warn,
    });
  const broadcast = createChangeBroadcast(
    () => servers.hostServers.forEach((hostServer) => hostServer.adaptSubscription()),
    (gate ?? settings.policy) && observeTools(gate, () => lists),
  );
  const servers = new ServerSet(configured, {
    options: settings,
    answering,
    broadcast,
    deadlines,
    variables,
    closed,
    open,
    warn,
  });
  const { hostServers } = servers;
  const refresh: Lists['refresh'] = (kind, hostServer) => lists.refresh(kind, hostServer);
  const stored = createStoredLists(settings, { ...storedListPorts(principal, broadcast, warn), refresh });
  const lists = createLists(hostServers, createScreen(permissions, gate), stored);
  const calls: CallPorts = { ...deciding, hostServers, lists, gate, stored, recorder, closed };
  const onApproved = (): void => servers.reportListChanges();
  const locking = lock && gate && { lock, gate, servers: hostServers, recorder, list: listOwn, onApproved };
  const host = createHostMethods(settings, { servers, broadcast, calls, locking, deadlines, closing, onClose });
  if (principal !== undefined) users.set(host, principal.key);
  return host;
}

const users = new WeakMap<Host, string>();

/** The key of the user of a host; `undefined` without one. What is stored for the user belongs to it. */
export const userOf = (host: Host): string | undefined => users.get(host);

const consentSettings = ({ consent, timeouts, consentStore }: HostSettings, principal: Principal | undefined) => ({
  allowsAll: consent === 'allow-all',
  timeoutMs: timeouts.consentMs,
  remembered: new RememberedConsents(principal?.key, consentStore ?? memoryConsents()),
});

const storedListPorts = (
  principal: Principal | undefined,
  broadcast: ChangeBroadcast,
  warn: (server: string, error: unknown) => void,
): Omit<StoredListPorts, 'store' | 'refresh'> => ({
  principal: principal?.key ?? '',
  onChange: (kind, server) => broadcast.put({ server, change: { type: changedList[kind] } }),
  warn,
  now: () => Date.now(),
});

const changedList = { tool: 'tools', prompt: 'prompts', resource: 'resources', template: 'resources' } as const;

/** Neither an approval nor an answer of the user is about a tool that has changed since. */
const observeTools = (gate: LockGate<HostServer> | undefined, lists: () => Lists): ChangeObserver => ({
  filter: allLists,
  onChange(change) {
    gate?.onChange(change);
    if (change.change.type === 'tools' || change.change.type === 'connection') lists().forgetTools(change.server);
  },
});

/** The servers of the configuration. Throws one error with all problems of the options. */
function readConfiguration(
  options: HostOptions,
  table: Rules,
  processEnv: Environment,
): { variables: Variables; configured: ConfiguredServer[] } {
  checkShape(options);
  const problems = hostProblems(options as Readonly<Fields>, table);
  const variables = problems.length === 0 ? readVariables(options, processEnv) : noVariables;
  const read = isRecord(options.servers)
    ? readServers(options.servers, variables, options.auth)
    : { servers: [], problems: [] };
  refuseAll([...problems, ...read.problems]);
  return { variables, configured: read.servers };
}

interface HostParts {
  readonly servers: ServerSet;
  readonly broadcast: ChangeBroadcast;
  readonly calls: CallPorts;
  /** Absent without a lock. */
  readonly locking: LockStatusPorts<HostServer> | undefined;
  readonly deadlines: Deadlines;
  readonly closing: AbortController;
  onClose(): void;
}

function createHostMethods(
  options: HostOptions,
  { servers, broadcast, calls, locking, deadlines, closing, onClose }: HostParts,
): Host {
  const { hostServers, lists, permissions, gate, stored } = calls;
  const close: Host['close'] = async (closeOptions) => {
    const closed = new TenonError('connection-closed', 'The host is closed.');
    closing.abort(closed);
    await servers.close(closed, closeOptions);
    broadcast.end();
    onClose();
    if (deadlinesIn(options) === undefined) deadlines.end();
  };
  return {
    get servers() {
      return hostServers.map(({ server }) => server);
    },
    addServer: (server, config) => servers.add(server, config),
    async removeServer(server, closeOptions) {
      const removed = servers.remove(server, closeOptions);
      lists.forget(server);
      stored?.forget(server);
      await removed;
    },
    tools: createTools(calls),
    resources: createResources(calls),
    ...createPrompts(calls),
    request: (async (server: string, method: MethodDefinition, params?: Fields, call?: CallOptions) => {
      if (!isRecord(method) || method.type !== 'method') throw notAnExtension();
      const hostServer = servers.named(server, 'request()');
      await permitRequest(calls, server, method.method, params, call?.signal);
      if (gate !== undefined) await checkConnected(gate, hostServer);
      return hostServer.use((client) => client.request(method, params as never, call as never));
    }) as Host['request'],
    instructions: () =>
      hostServers.flatMap(({ server, connected }) => {
        const text = connected === undefined ? stored?.instructions(server) : connected.instructions;
        const isShown = text !== undefined && (gate === undefined || gate.allowsInstructions(server, text));
        return isShown ? [{ server, text }] : [];
      }),
    lockStatus: async () => lockStatus(locking ?? withoutLock('lockStatus()')),
    approve: async (status: LockStatus | ServerLockStatus, items?: readonly LockedItem[]) =>
      approve(locking ?? withoutLock('approve()'), status, items),
    explain: (decisionId) => permissions.explain(decisionId),
    health: () => hostServers.map((hostServer) => hostServer.health()),
    subscribe: (filter = allLists) => broadcast.open(filterByServer(hostServers, permissions, filter)),
    sendRootsListChanged: () => hostServers.forEach(({ connected }) => connected?.sendRootsListChanged()),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** An extension is no definition that could be approved: the server has to be the approved one. */
async function checkConnected(gate: LockGate<HostServer>, hostServer: HostServer): Promise<void> {
  await hostServer.use((client) => client.connection.ready());
  await gate.checkServer(hostServer);
}

/** A string could name any method, and call a tool without consent. */
const notAnExtension = (): TenonError =>
  new TenonError('invalid-argument', 'request(): The second argument must be a method of an extension.', {
    hint: 'Pass a member of `methods` of the extension. Use host.tools, host.resources and host.prompts for the rest.',
  });

function withoutLock(caller: string): never {
  throw new TenonError('invalid-argument', `${caller}: The host has no lock.`, {
    hint: "Pass lock: 'mcp.lock' to createHost.",
  });
}

const allLists: SubscriptionFilter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** The filter of a subscription for each server: its resources are those with a `hostUri` of the server. */
function filterByServer(
  hostServers: readonly HostServer[],
  permissions: Permissions,
  filter: SubscriptionFilter,
): FilterFor {
  checkFilter('subscribe()', filter);
  const { resourceSubscriptions = [], ...listFlags } = filter;
  const watched = resourceSubscriptions.map((hostUri) => serverOfUri(hostServers, hostUri));
  return (server) => ({
    ...listFlags,
    resourceSubscriptions: watched.flatMap(({ hostServer, own }) =>
      hostServer.server === server && permissions.effect('subscribe', { server, resource: own }) === 'allow'
        ? [own]
        : [],
    ),
  });
}
