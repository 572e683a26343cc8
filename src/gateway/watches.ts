/** The resources that sessions and subscriptions follow: each on a connection of its owner, which stays open for it. */
import { RpcError } from '../jsonrpc/errors.ts';
import type { SourceCaller } from '../server/ports/source-caller.ts';
import type { ChangeReceiver } from '../server/ports/source-session.ts';
import { callerError } from './calls/errors.ts';
import type { Upstream } from './upstream.ts';

interface Followed {
  /** What ends each, by its URI. */
  readonly ends: Map<string, () => void>;
  /** The session that follows, if it is one. */
  readonly connection: string | undefined;
}

export class Watches {
  readonly #followed = new Map<ChangeReceiver, Followed>();

  /** Resolves with the error of an upstream that refuses. */
  async watch(
    upstream: Upstream,
    caller: SourceCaller,
    receiver: ChangeReceiver,
    uri: string,
  ): Promise<RpcError | undefined> {
    const { inward, outward } = upstream.naming.uris;
    try {
      const end = await opened(upstream, caller, inward(uri), (changed) =>
        receiver.changed({ kind: 'resource', uri: outward(changed) }),
      );
      if (end instanceof RpcError) return RpcError.from(callerError(upstream.name, end, outward));
      this.unwatch(receiver, uri);
      const isSession = receiver === caller.caller.session;
      const followed = this.#followed.get(receiver) ?? {
        ends: new Map<string, () => void>(),
        connection: isSession ? caller.connectionKey : undefined,
      };
      followed.ends.set(uri, end);
      this.#followed.set(receiver, followed);
      return undefined;
    } catch (error) {
      return RpcError.from(callerError(upstream.name, error, outward));
    }
  }

  unwatch(receiver: ChangeReceiver, uri: string): undefined {
    const followed = this.#followed.get(receiver);
    followed?.ends.get(uri)?.();
    followed?.ends.delete(uri);
    if (followed?.ends.size === 0) this.#followed.delete(receiver);
  }

  /** A subscription has ended. */
  left(receiver: ChangeReceiver): void {
    for (const end of this.#followed.get(receiver)?.ends.values() ?? []) end();
    this.#followed.delete(receiver);
  }

  /** A session has ended. */
  ended(connection: string): void {
    for (const [receiver, followed] of this.#followed) if (followed.connection === connection) this.left(receiver);
  }
}

/** Returns a function that ends it. A connection that serves one caller alone stays in use meanwhile. */
async function opened(
  upstream: Upstream,
  caller: SourceCaller,
  uri: string,
  listener: (changed: string) => void,
): Promise<RpcError | (() => void)> {
  const isAlone = upstream.userOf(caller).key === undefined;
  const { connection, release } = await upstream.lend(caller, 'list');
  let isKept = false;
  try {
    await connection.lock?.check('resources/subscribe', { uri });
    const refused = await connection.changes.watch(uri, listener);
    if (refused !== undefined) return refused;
    isKept = isAlone;
    return () => {
      connection.changes.unwatch(uri, listener);
      if (isAlone) release();
    };
  } finally {
    if (!isKept) release();
  }
}
