/** The subscriptions of one connection, or of one endpoint: their filters, and the notifications they get. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { GuardedCaller } from '../../ports/guard.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { Done, Incoming, Notification } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import { missingExtension, tasksExtension } from '../../protocol/tasks/extension-tasks.ts';
import type { Remember } from '../features/call-ports.ts';
import type { FeatureSource, SourceSubscription } from '../kernel/feature-source.ts';
import { reaches } from '../kernel/guarded-changes.ts';
import { type Serving, wholeRegistry } from '../kernel/serving.ts';
import type { TaskSubscription } from '../ports/call-limits.ts';
import type { CallerInfo } from '../ports/caller.ts';
import { type Change, isWatched, listKinds } from '../ports/change-notifications.ts';
import { atExpiry } from '../ports/expiry.ts';
import type { Link } from '../ports/link.ts';
import { type SourceCaller, sourceCaller } from '../ports/source-caller.ts';
import type { Registry } from '../registry/registry.ts';
import { SubscriptionRoom } from './subscription-room.ts';

type SingleChange = Exclude<Change, { kind: 'all' | 'task' }>;

interface Listener {
  readonly id: RequestId;
  readonly link: Link;
  readonly caller: SourceCaller;
  readonly revision: Revision;
  readonly filter: SubscriptionFilter;
  /** The resources of the filter. */
  readonly watched: ReadonlySet<string>;
  readonly finish: (settled: Done | RpcError) => void;
  /** `pending` while the store is read: nothing is sent before the subscription is acknowledged. */
  phase: 'pending' | 'open';
  tasks?: TaskSubscription;
  /** At the source of features, if there is one. */
  atSource?: SourceSubscription;
  stopWaiting(): void;
}

/**
 * Tasks that one subscription follows: each is read when it begins.
 * @limit server
 * @beyond the subscription is rejected
 * @code overloaded
 */
const maxTasks = 1000;

const overloaded = (text: string): RpcError => rpcError('overloaded', text);

/** Resolves when the changes of other servers arrive here; absent if they do already, or there are none. */
type ChangesKnown = () => Promise<void> | undefined;

/** What is known of the endpoint; nothing of a connection. */
export interface SubscriptionPorts {
  /** Absent if no other server shares the store. */
  readonly changesKnown?: ChangesKnown;
  /** Whether callers have principals. */
  readonly hasPrincipals?: boolean;
}

export class Subscriptions {
  readonly #serving: Serving;
  readonly #changesKnown: ChangesKnown;
  readonly #listeners = new Set<Listener>();
  readonly #room: SubscriptionRoom;
  #phase: 'open' | 'ending' = 'open';

  constructor(serving: Serving, { changesKnown = () => undefined, hasPrincipals = false }: SubscriptionPorts = {}) {
    this.#serving = serving;
    this.#changesKnown = changesKnown;
    this.#room = new SubscriptionRoom(hasPrincipals);
  }

  /** The request stays open until the client cancels it, or the server ends it. */
  listening(id: RequestId, info: CallerInfo, link: Link): Remember {
    // The principal and address of this request: those of the connection may change while the middleware runs.
    const caller = sourceCaller(link, info);
    const { principal } = caller;
    const { revision } = info;
    return (call, { signal }, finish) => {
      const filter = supportedPart(
        call.params.notifications as SubscriptionFilter,
        wholeRegistry(this.#serving, caller),
      );
      const refusal = missingFor(filter, revision, call) ?? this.#noRoomFor(caller, filter);
      if (refusal !== undefined) return refusal;
      const stopWaiting = atExpiry(this.#serving, principal, () => {
        link.hintListener?.();
        this.#cancel(listener, 'the credentials have expired');
      });
      const listener: Listener = {
        id,
        link,
        caller,
        revision,
        filter,
        watched: new Set(filter.resourceSubscriptions),
        finish,
        phase: 'pending',
        stopWaiting,
      };
      this.#listeners.add(listener);
      signal.addEventListener('abort', () => this.#end(listener), { once: true });
      void this.#begin(listener);
      return undefined;
    };
  }

  changed(change: Change): void {
    if (change.kind === 'task') return;
    for (const listener of this.#listeners) this.#notify(listener, change);
  }

  #notify(listener: Listener, change: Exclude<Change, { kind: 'task' }>): void {
    const { id, link, revision, phase } = listener;
    for (const one of phase === 'pending' ? [] : change.kind === 'all' ? allOf(listener) : [change]) {
      const notification = notificationOf(this.#serving, listener, one);
      if (notification !== undefined) link.notify(revision, { ...notification, subscription: id });
    }
  }

  /** Cancels all, and answers them. */
  end(): void {
    this.#phase = 'ending';
    for (const listener of this.#listeners) this.#cancel(listener, 'closing');
  }

  /** If there is room for it, the subscription has it from now on. */
  #noRoomFor(caller: GuardedCaller, filter: SubscriptionFilter): RpcError | undefined {
    if (this.#phase === 'ending') return overloaded('The server is closing this connection');
    if ((filter.taskIds?.length ?? 0) > maxTasks)
      return overloaded(`A subscription can have at most ${maxTasks} taskIds`);
    return this.#room.take(caller, filter);
  }

  /** An acknowledged subscription gets every change from then on. */
  async #begin(listener: Listener): Promise<void> {
    const { revision, caller } = listener;
    try {
      const known = this.#changesKnown();
      if (known !== undefined) await known;
      if (!this.#listeners.has(listener)) return;
      const { source } = this.#serving;
      const filter = source === undefined ? listener.filter : await this.#filterAt(source, listener);
      if (!this.#listeners.has(listener)) return;
      if (filter instanceof RpcError) return this.#end(listener, filter);
      const { taskIds } = filter;
      if (taskIds === undefined) return acknowledge(listener, filter);
      const owner = caller.principal?.key ?? '';
      const notify = (task: Fields): void => send(listener, 'notifications/tasks', task);
      const tasks = await this.#serving.tasks.subscribe({ owner, caller, revision, notify }, taskIds);
      if (!this.#listeners.has(listener)) return;
      listener.tasks = tasks;
      acknowledge(listener, { ...filter, taskIds: [...tasks.ids] });
      tasks.start();
    } catch (error) {
      this.#serving.failed(error, { method: 'subscriptions/listen', target: '' });
      this.#end(listener, RpcError.from(error));
    }
  }

  /** The part of the filter that the source of features follows. */
  async #filterAt(source: FeatureSource, listener: Listener): Promise<SubscriptionFilter | RpcError> {
    const { filter, caller } = listener;
    const changed = (change: Change): void => {
      if (change.kind !== 'task') this.#notify(listener, change);
    };
    const atSource = await source.listen(caller, filter, { changed });
    if (atSource instanceof RpcError) return atSource;
    if (this.#listeners.has(listener)) listener.atSource = atSource;
    else atSource.close();
    return filter.resourceSubscriptions === undefined
      ? filter
      : { ...filter, resourceSubscriptions: [...atSource.resources] };
  }

  #cancel(listener: Listener, reason: string): void {
    const { id, link, revision } = listener;
    link.notify(revision, { method: 'notifications/cancelled', params: { requestId: id, reason } });
    this.#end(listener);
  }

  /** Ends a subscription with its result. */
  #end(listener: Listener, result: Done | RpcError = subscriptionResult(listener.id)): void {
    listener.stopWaiting();
    listener.tasks?.stop();
    listener.atSource?.close();
    if (!this.#listeners.delete(listener)) return;
    this.#room.release(listener.caller, listener.filter);
    listener.finish(result);
  }
}

const send = ({ link, revision, id }: Listener, method: string, params: Fields): void =>
  link.notify(revision, { method, params, subscription: id });

function acknowledge(listener: Listener, notifications: SubscriptionFilter): void {
  listener.phase = 'open';
  send(listener, 'notifications/subscriptions/acknowledged', { notifications });
}

/** Only clients that declare the extension can follow tasks. */
function missingFor(
  { taskIds }: SubscriptionFilter,
  { tasks }: Revision,
  { introduction }: Incoming,
): RpcError | undefined {
  if (taskIds === undefined || tasks?.isFollowedBy(introduction?.capabilities ?? {}) === true) return undefined;
  return missingExtension(`The filter has taskIds: the client must declare the extension ${tasksExtension}`);
}

const subscriptionResult = (subscription: RequestId): Done => ({ resultType: 'complete', result: {}, subscription });

/** The part of a filter that the server declares. */
function supportedPart(requested: SubscriptionFilter, { capabilities, hasTasks }: Registry): SubscriptionFilter {
  const { tools, prompts, resources } = capabilities;
  return {
    ...(requested.toolsListChanged && tools?.listChanged && { toolsListChanged: true }),
    ...(requested.promptsListChanged && prompts?.listChanged && { promptsListChanged: true }),
    ...(requested.resourcesListChanged && resources?.listChanged && { resourcesListChanged: true }),
    ...(requested.resourceSubscriptions &&
      resources?.subscribe && { resourceSubscriptions: requested.resourceSubscriptions }),
    ...(requested.taskIds && hasTasks && { taskIds: requested.taskIds }),
  };
}

/** Every change that a client listens to. */
const allOf = ({ watched }: Listener): SingleChange[] => [
  ...listKinds.map((kind) => ({ kind })),
  ...[...watched].map((uri) => ({ kind: 'resource' as const, uri })),
];

function notificationOf(
  serving: Serving,
  { caller, filter, watched }: Listener,
  change: SingleChange,
): Notification | undefined {
  // A filter cannot name notifications of extensions, and log messages belong to a request.
  if (change.kind === 'notification' || change.kind === 'log') return undefined;
  if (!reaches(serving, caller, change)) return undefined;
  if (change.kind === 'resource') {
    const { uri } = change;
    return isWatched(watched, uri) ? { method: 'notifications/resources/updated', params: { uri } } : undefined;
  }
  const wanted = {
    tools: filter.toolsListChanged,
    prompts: filter.promptsListChanged,
    resources: filter.resourcesListChanged,
  };
  return wanted[change.kind] ? { method: `notifications/${change.kind}/list_changed` } : undefined;
}
