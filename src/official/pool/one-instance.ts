/** The one instance of a server that is not created by a function: for one connection at a time, or shared by all. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { BridgedInstance } from './bridged-instance.ts';
import type { InstanceOwner, InstancePool, Lease } from './instances.ts';

export class OneInstance implements InstancePool {
  readonly #bridged: BridgedInstance;
  readonly #isShared: boolean;
  /** The connection that uses it. */
  #user: string | undefined;

  constructor(bridged: BridgedInstance, isShared: boolean) {
    this.#bridged = bridged;
    this.#isShared = isShared;
  }

  find({ connection }: InstanceOwner): BridgedInstance | undefined {
    if (this.#isShared) return this.#bridged;
    return connection !== undefined && (this.#user ?? connection) === connection ? this.#bridged : undefined;
  }

  lend(owner: InstanceOwner): Lease {
    const bridged = this.find(owner);
    if (this.#bridged.instance.isClosed)
      throw new TenonError('instance-failed', 'The server behind the bridge has closed.');
    if (!this.#isShared && bridged !== undefined) this.#user = owner.connection;
    if (bridged !== undefined) return { bridged, release: () => {} };
    throw new TenonError('instance-failed', 'The server behind the bridge is used by another connection.', {
      hint: onlyInstanceHint,
    });
  }

  ended(connection: string): void {
    this.#bridged.left(connection);
    if (this.#user === connection) this.#user = undefined;
  }
}

/** What to do if one instance is not enough. */
export const onlyInstanceHint =
  'Pass a function that creates a server: fromOfficial(() => createMcpServer()). With shared: true all clients use this one.';
