/** The exchange lifecycle on the server: every request carries its client information; only subscriptions have state. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { ServerCapabilities, SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { Done, Incoming, Notification, Outcome } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import { tasksExtension } from '../../protocol/tasks/extension-tasks.ts';
import type { Remember } from '../features/call-ports.ts';
import { reaches } from '../kernel/guarded-changes.ts';
import type { Serving } from '../kernel/serving.ts';
import { type Change, concerns, listKinds } from '../ports/change-notifications.ts';
import { atExpiry } from '../ports/expiry.ts';
import type { GuardedCaller } from '../ports/guard.ts';
import type { Link } from '../ports/link.ts';
import { levelFor, type Registry } from '../registry/registry.ts';
import { ExchangeJourney } from './journey.ts';
import type { OfferedRevisions } from './offered-revisions.ts';

export interface Exchanges {
  /** `by` sends the answer, and the messages that belong to the call. */
  request(message: RequestMessage, revision: Revision, call: Incoming, by: Link): void;
  changed(change: Change): void;
  /** Ends all subscriptions when the server closes: each is cancelled, then answered. */
  end(): void;
}

type SingleChange = Exclude<Change, { kind: 'all' }>;

interface Listener {
  readonly id: RequestId;
  readonly link: Link;
  readonly caller: GuardedCaller;
  readonly revision: Revision;
  readonly filter: SubscriptionFilter;
  /** The total length of the URIs in its filter. */
  readonly characters: number;
  /** Ends the subscription with its result. */
  end(): void;
}

const maxListeners = 1000;
/** How many resources all subscriptions of one connection may watch together. */
const maxWatched = 10_000;
const maxWatchedCharacters = 4 * 1024 * 1024;

const overloaded = (text: string): RpcError => rpcError('overloaded', text);

const tooLong = (): RpcError =>
  overloaded(`The URIs of all subscriptions of a connection can have at most ${maxWatchedCharacters} characters`);

const watchedBy = ({ resourceSubscriptions = [] }: SubscriptionFilter): number => resourceSubscriptions.length;
const charactersOf = ({ resourceSubscriptions = [] }: SubscriptionFilter): number =>
  resourceSubscriptions.reduce((sum, { length }) => sum + length, 0);

export function createExchanges(serving: Serving, offered: OfferedRevisions): Exchanges {
  const listeners = new Set<Listener>();
  let phase: 'open' | 'ending' = 'open';

  function noRoomFor(filter: SubscriptionFilter): RpcError | undefined {
    if (phase === 'ending') return overloaded('The server is closing this connection');
    if (listeners.size >= maxListeners)
      return overloaded(`A connection can have at most ${maxListeners} subscriptions`);
    const watched = [...listeners].reduce((sum, listener) => sum + watchedBy(listener.filter), 0);
    if (watched + watchedBy(filter) > maxWatched)
      return overloaded(`The subscriptions of a connection can have at most ${maxWatched} resources`);
    const characters = [...listeners].reduce((sum, listener) => sum + listener.characters, charactersOf(filter));
    return characters > maxWatchedCharacters ? tooLong() : undefined;
  }

  /** The request stays open until the client cancels it, or the server ends it. */
  function listening(id: RequestId, revision: Revision, link: Link): Remember {
    // Of this request: a connection may have others by the time that the middleware has run.
    const { principal, address } = link;
    const caller = { principal, address };
    return ({ params }, { signal }, finish) => {
      const filter = honoured(params.notifications as SubscriptionFilter, serving.registry());
      const refusal = noRoomFor(filter);
      if (refusal !== undefined) return finish(refusal);
      const end = (): void => {
        stopWaiting();
        if (listeners.delete(listener)) finish(listened(id));
      };
      const stopWaiting = atExpiry(serving, principal, () => {
        link.hintListener?.();
        endListener(listener, 'the credentials have expired');
      });
      const listener: Listener = { id, link, caller, revision, filter, characters: charactersOf(filter), end };
      listeners.add(listener);
      signal.addEventListener('abort', end, { once: true });
      const acknowledged = 'notifications/subscriptions/acknowledged';
      link.notify(revision, { method: acknowledged, params: { notifications: filter }, subscription: id });
    };
  }

  return {
    request(message, revision, call, link) {
      if (call.method === 'server/discover')
        return link.settle(message, revision, discovery(serving.registry(), offered));
      const remember = call.method === 'subscriptions/listen' ? listening(message.id, revision, link) : undefined;
      new ExchangeJourney(serving, link, message, call, callerOf(revision, call, serving), remember).begin();
    },
    changed(change) {
      for (const { id, link, caller, revision, filter } of listeners)
        for (const one of change.kind === 'all' ? allOf(filter) : [change]) {
          const notification = notificationOf(serving, caller, one, filter);
          if (notification !== undefined) link.notify(revision, { ...notification, subscription: id });
        }
    },
    end() {
      phase = 'ending';
      for (const listener of listeners) endListener(listener, 'closing');
    },
  };
}

function endListener({ id, link, revision, end }: Listener, reason: string): void {
  link.notify(revision, { method: 'notifications/cancelled', params: { requestId: id, reason } });
  end();
}

const callerOf = (revision: Revision, { introduction }: Incoming, { registry }: Serving) => ({
  revision,
  client: introduction?.client,
  capabilities: introduction?.capabilities ?? {},
  logLevel: introduction?.logLevel && levelFor(registry(), introduction.logLevel),
});

const discovery = (
  { capabilities, hasTasks, instructions, cache }: Registry,
  { revisions }: OfferedRevisions,
): Outcome => ({
  resultType: 'complete',
  result: {
    supportedVersions: revisions.map(({ id }) => id),
    capabilities: hasTasks ? withTasks(capabilities) : capabilities,
    ...(instructions !== undefined && { instructions }),
  },
  cache,
});

const withTasks = (capabilities: ServerCapabilities): ServerCapabilities => ({
  ...capabilities,
  extensions: { ...capabilities.extensions, [tasksExtension]: {} },
});

const listened = (subscription: RequestId): Done => ({ resultType: 'complete', result: {}, subscription });

/** The part of a filter that the server declares. */
function honoured(requested: SubscriptionFilter, { capabilities }: Registry): SubscriptionFilter {
  const { tools, prompts, resources } = capabilities;
  return {
    ...(requested.toolsListChanged && tools?.listChanged && { toolsListChanged: true }),
    ...(requested.promptsListChanged && prompts?.listChanged && { promptsListChanged: true }),
    ...(requested.resourcesListChanged && resources?.listChanged && { resourcesListChanged: true }),
    ...(requested.resourceSubscriptions &&
      resources?.subscribe && { resourceSubscriptions: requested.resourceSubscriptions }),
  };
}

/** Every change that a client listens to. */
const allOf = ({ resourceSubscriptions = [] }: SubscriptionFilter): SingleChange[] => [
  ...listKinds.map((kind) => ({ kind })),
  ...resourceSubscriptions.map((uri) => ({ kind: 'resource' as const, uri })),
];

function notificationOf(
  serving: Serving,
  caller: GuardedCaller,
  change: SingleChange,
  filter: SubscriptionFilter,
): Notification | undefined {
  // A filter cannot name notifications of extensions, and log messages belong to a request.
  if (change.kind === 'notification' || change.kind === 'log') return undefined;
  if (!reaches(serving, caller, change)) return undefined;
  if (change.kind === 'resource') {
    const { uri } = change;
    const isWatched = filter.resourceSubscriptions?.some((watched) => concerns(watched, uri)) ?? false;
    return isWatched ? { method: 'notifications/resources/updated', params: { uri } } : undefined;
  }
  const wanted = {
    tools: filter.toolsListChanged,
    prompts: filter.promptsListChanged,
    resources: filter.resourcesListChanged,
  };
  return wanted[change.kind] ? { method: `notifications/${change.kind}/list_changed` } : undefined;
}
