/** One instance behind the bridge: its lists, and the clients that get what it sends outside their calls. */
import { OutsideRequests } from '../../forwarding/outside-requests.ts';
import type { RemoteRequest } from '../../forwarding/remote-call.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { CallerInfo } from '../../server/ports/caller.ts';
import type { Change } from '../../server/ports/change-notifications.ts';
import type { SourceCaller } from '../../server/ports/source-caller.ts';
import type { ChangeReceiver, SourceSession } from '../../server/ports/source-session.ts';
import type { Server } from '../../server/server.ts';
import type { BridgedFeatures, FeatureMaker } from '../features/features.ts';
import { changesBetween, replaceLists } from '../features/list-changes.ts';
import type { Instance, OutsideCalls } from '../instance/instance.ts';
import { readLists } from '../instance/lists.ts';
import { type Initialized, inTime, notOpened, type Opening } from '../instance/open-instance.ts';
import { ResourceSubscriptions } from '../instance/resource-subscriptions.ts';

/** Times that lists are read again at once, since they change meanwhile. */
const maxReads = 5;

export interface BridgedPorts {
  readonly maker: FeatureMaker;
  readonly deadlines: Deadlines;
  /** Set for an instance whose lists are those of all clients. */
  readonly server: (() => Pick<Server, 'update' | 'sendResourceUpdated'> | undefined) | undefined;
  /** Whether several clients share it. */
  readonly isShared: boolean;
  dropped(method: string, reason: string): void;
}

export class BridgedInstance implements OutsideCalls, Opening {
  readonly #ports: BridgedPorts;
  readonly #requests = new OutsideRequests();
  #opened: { readonly instance: Instance; readonly subscriptions: ResourceSubscriptions } | undefined;
  #initialized: Initialized | undefined;
  /** Sessions and subscriptions. */
  readonly #receivers = new Set<ChangeReceiver>();
  /** By the keys of their connections. */
  readonly #sessions = new Map<string, CallerInfo>();
  #features: BridgedFeatures | undefined;
  #reading: Promise<void> | undefined;
  #isStale = true;

  constructor(ports: BridgedPorts) {
    this.#ports = ports;
  }

  /** The server is created. It may send messages while it is initialized. */
  created(instance: Instance): void {
    this.#opened = { instance, subscriptions: new ResourceSubscriptions(instance) };
  }

  onInitialized(initialized: Initialized): void {
    this.#initialized = initialized;
    for (const caller of this.#sessions.values()) this.#restore(caller);
  }

  /** What the server answered to `initialize`. */
  get initialized(): Initialized {
    return this.#initialized ?? { info: {}, capabilities: {}, instructions: undefined };
  }

  get instance(): Instance {
    return this.#open.instance;
  }

  get subscriptions(): ResourceSubscriptions {
    return this.#open.subscriptions;
  }

  get #open() {
    if (this.#opened === undefined) throw new TypeError('The instance is not created yet.');
    return this.#opened;
  }

  /** As they were read last. */
  get features(): BridgedFeatures | undefined {
    return this.#features;
  }

  /** Reads the lists. Returns no promise if they have not changed since. */
  load(): Promise<void> | undefined {
    if (!this.#isStale && this.#reading === undefined) return undefined;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** A session uses it from now on. */
  join({ connectionKey, caller }: SourceCaller): void {
    if (caller.session === undefined || connectionKey === undefined || this.#sessions.has(connectionKey)) return;
    this.#sessions.set(connectionKey, caller);
    this.#receivers.add(caller.session);
    if (this.#initialized !== undefined) this.#restore(caller);
  }

  /** The instance learns what the client of a session has subscribed to before, and its level. */
  #restore({ session, logLevel }: CallerInfo): void {
    if (session === undefined) return;
    for (const uri of session.subscribed) void this.subscriptions.add(uri, session).catch(() => {});
    if (logLevel !== undefined && logLevel !== usualLevel) this.setLevel(logLevel);
  }

  /** The session of a connection has ended. */
  left(connection: string): void {
    const session = this.#sessions.get(connection)?.session;
    if (session === undefined) return;
    this.#sessions.delete(connection);
    this.unfollow(session);
  }

  /** A subscription begins. Resolves with the resources that the instance accepts. */
  async follow(receiver: ChangeReceiver, uris: readonly string[]): Promise<readonly string[]> {
    this.#receivers.add(receiver);
    const refused = await Promise.all(uris.map((uri) => this.subscriptions.add(uri, receiver)));
    return uris.filter((_uri, at) => refused[at] === undefined);
  }

  unfollow(receiver: ChangeReceiver): void {
    this.#receivers.delete(receiver);
    this.subscriptions.leave(receiver);
  }

  /** The level of a session; where several clients share the instance, each filters for itself. */
  setLevel(level: LoggingLevel): void {
    if (this.#ports.isShared || !isRecord(this.initialized.capabilities.logging)) return;
    this.instance.ask('logging/setLevel', { level }).catch(() => {});
  }

  rootsChanged(): void {
    if (!this.#ports.isShared) this.instance.notify('notifications/roots/list_changed');
  }

  /** The client has answered with its roots in a call. */
  answeredRoots(roots: Fields): void {
    this.#requests.roots = roots;
  }

  requested(request: RemoteRequest): void {
    const { instance } = this;
    const { dropped } = this.#ports;
    this.#requests.send(request, { instance, session: this.#session, dropped });
  }

  withdrawn(id: string | number): void {
    this.#requests.withdrawn(id);
  }

  notified(method: string, params: Fields): void {
    const { server, dropped } = this.#ports;
    if (method.endsWith('/list_changed')) return this.#listsChanged();
    if (method === 'notifications/resources/updated') {
      const uri = String(params.uri);
      return server === undefined ? this.#changed({ kind: 'resource', uri }) : server()?.sendResourceUpdated(uri);
    }
    const change = changeForSession(method, params);
    if (change === undefined || this.#session === undefined) dropped(method, outsideCalls);
    else this.#session.changed(change);
  }

  closed(): void {
    this.#requests.close();
    this.#receivers.clear();
    this.#sessions.clear();
  }

  /** The only one: what the instance sends outside calls never reaches one of several. */
  get #session(): SourceSession | undefined {
    if (this.#ports.isShared) return undefined;
    const [caller] = this.#sessions.values();
    return caller?.session;
  }

  #changed(change: Change): void {
    for (const receiver of this.#receivers) receiver.changed(change);
  }

  #listsChanged(): void {
    this.#isStale = true;
    // No client has seen the lists before they are read first.
    if (this.#features !== undefined)
      this.load()?.catch((error: Error) => this.#ports.dropped('list_changed', error.message));
  }

  async #read(): Promise<void> {
    const { instance } = this;
    const { maker, deadlines } = this.#ports;
    const { capabilities } = this.initialized;
    for (let reads = 0; this.#isStale && !instance.isClosed && reads < maxReads; reads++) {
      this.#isStale = false;
      try {
        this.#listed(maker.make(await inTime(deadlines, 'listed', readLists(instance, capabilities))));
      } catch (error) {
        this.#isStale = true;
        throw error instanceof TenonError ? error : notOpened(error);
      }
    }
  }

  #listed(after: BridgedFeatures): void {
    const before = this.#features;
    this.#features = after;
    if (before === undefined || before === after) return;
    const { server } = this.#ports;
    const whole = server?.();
    if (whole !== undefined) replaceLists(whole, before, after);
    else for (const change of changesBetween(before, after)) this.#changed(change);
  }
}

/** The level that sessions begin with. */
const usualLevel: LoggingLevel = 'info';

const outsideCalls = 'It belongs to no call in progress.';

/** What a session passes on to its client. */
function changeForSession(method: string, params: Fields): Change | undefined {
  if (method === 'notifications/message')
    return { kind: 'log', level: params.level as LoggingLevel, message: { method, params } };
  if (method === 'notifications/elicitation/complete')
    return { kind: 'notification', extension: undefined, method, params };
  return undefined;
}
