/** The resources that sessions and subscriptions follow: each on a connection of its owner, which stays open for it. */
import { RpcError } from '../jsonrpc/errors.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import { rpcError } from '../protocol/errors.ts';
import type { SourceCaller } from '../server/ports/source-caller.ts';
import type { ChangeReceiver } from '../server/ports/source-session.ts';
import { callerError } from './calls/errors.ts';
import { Reopening } from './connections/reopening.ts';
import type { Upstream } from './upstream.ts';

export interface WatchPorts {
  readonly deadlines: Deadlines;
  /** The upstream of a URI, now: a reload may have replaced it. */
  upstreamOf(uri: string): Upstream | undefined;
  dropped(method: string, reason: string): void;
}

interface Followed {
  /** By their URIs. */
  readonly watches: Map<string, Watch>;
  /** The session that follows, if it is one. */
  readonly connection: string | undefined;
}

export class Watches {
  readonly #ports: WatchPorts;
  readonly #followed = new Map<ChangeReceiver, Followed>();
  #isClosed = false;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
  }

  /** Resolves with the error of an upstream that refuses. */
  async watch(
    upstream: Upstream,
    caller: SourceCaller,
    receiver: ChangeReceiver,
    uri: string,
  ): Promise<RpcError | undefined> {
    if (upstream.naming.hides(upstream.naming.uris.inward(uri)))
      return rpcError('resource-not-found', 'Resource not found', { uri });
    const watch = new Watch(this.#ports, caller, receiver, uri);
    try {
      const refused = await watch.open(upstream);
      if (refused !== undefined) return refused;
    } catch (error) {
      return RpcError.from(callerError(upstream.name, error, upstream.naming.uris.outward));
    }
    this.unwatch(receiver, uri);
    const isSession = receiver === caller.caller.session;
    if (isSession && caller.caller.session?.isEnded === true) {
      watch.close();
      return rpcError('connection-error', 'The session has ended.');
    }
    const followed = this.#followed.get(receiver) ?? {
      watches: new Map<string, Watch>(),
      connection: isSession ? caller.connectionKey : undefined,
    };
    followed.watches.set(uri, watch);
    this.#followed.set(receiver, followed);
    if (this.#isClosed) this.left(receiver);
    return undefined;
  }

  unwatch(receiver: ChangeReceiver, uri: string): undefined {
    const followed = this.#followed.get(receiver);
    followed?.watches.get(uri)?.close();
    followed?.watches.delete(uri);
    if (followed?.watches.size === 0) this.#followed.delete(receiver);
  }

  /** A subscription has ended. */
  left(receiver: ChangeReceiver): void {
    for (const watch of this.#followed.get(receiver)?.watches.values() ?? []) watch.close();
    this.#followed.delete(receiver);
  }

  /** A session has ended. */
  ended(connection: string): void {
    for (const [receiver, followed] of this.#followed) if (followed.connection === connection) this.left(receiver);
  }

  close(): void {
    this.#isClosed = true;
    for (const receiver of this.#followed.keys()) this.left(receiver);
  }
}

/** One resource, for one receiver. It is watched again over another connection if one is lost. */
class Watch {
  readonly #ports: WatchPorts;
  readonly #caller: SourceCaller;
  readonly #receiver: ChangeReceiver;
  readonly #uri: string;
  readonly #reopening: Reopening;
  #end: (() => void) | undefined;
  #isOver = false;

  constructor(ports: WatchPorts, caller: SourceCaller, receiver: ChangeReceiver, uri: string) {
    this.#ports = ports;
    this.#caller = caller;
    this.#receiver = receiver;
    this.#uri = uri;
    this.#reopening = new Reopening(ports.deadlines, () => this.#again());
  }

  /** Resolves with the error of an upstream that refuses. */
  async open(upstream: Upstream): Promise<RpcError | undefined> {
    const { inward, outward } = upstream.naming.uris;
    const isAlone = upstream.userOf(this.#caller).key === undefined;
    const { connection, release } = await upstream.lend(this.#caller, 'list');
    // A connection that serves one caller alone stays in use meanwhile.
    let isUsed = false;
    const listener = {
      changed: (changed: string) => this.#receiver.changed({ kind: 'resource', uri: outward(changed) }),
      lost: () => {
        if (isUsed) release();
        this.#end = undefined;
        if (!this.#isOver) this.#reopening.lost();
      },
    };
    try {
      const own = inward(this.#uri);
      await connection.lock?.check('resources/subscribe', { uri: own });
      const refused = await connection.changes.watch(own, listener);
      if (refused !== undefined) return RpcError.from(callerError(upstream.name, refused, outward));
      isUsed = isAlone;
      this.#end = () => {
        connection.changes.unwatch(own, listener);
        if (isUsed) release();
      };
      this.#reopening.opened();
      if (this.#isOver) this.close();
      return undefined;
    } finally {
      if (!isUsed) release();
    }
  }

  close(): void {
    this.#isOver = true;
    this.#reopening.close();
    this.#end?.();
    this.#end = undefined;
  }

  /** A change meanwhile was not reported: the receiver reads the resource again. */
  async #again(): Promise<void> {
    const upstream = this.#ports.upstreamOf(this.#uri);
    const refused = upstream === undefined ? 'Its upstream was removed.' : (await this.open(upstream))?.message;
    if (refused !== undefined) this.#ports.dropped('resources/subscribe', `It could not be opened again. ${refused}`);
    else if (!this.#isOver) this.#receiver.changed({ kind: 'resource', uri: this.#uri });
  }
}
