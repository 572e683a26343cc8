/** The one instance of a server that is not created by a function: for one connection at a time, or shared by all. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Instance } from '../instance/instance.ts';
import type { InstanceOwner, InstancePool, Lease } from './instances.ts';

export class OneInstance implements InstancePool {
  readonly #instance: Instance;
  readonly #isShared: boolean;
  /** The connection that uses it. */
  #user: string | undefined;

  constructor(instance: Instance, isShared: boolean) {
    this.#instance = instance;
    this.#isShared = isShared;
  }

  async lend({ connection }: InstanceOwner): Promise<Lease> {
    const instance = this.#instance;
    if (instance.isClosed) throw new TenonError('instance-failed', 'The server behind the bridge has closed.');
    if (!this.#isShared) this.#take(connection);
    return { instance, release: () => {} };
  }

  ended(connection: string): void {
    if (this.#user === connection) this.#user = undefined;
  }

  #take(connection: string | undefined): void {
    this.#user ??= connection;
    if (connection !== undefined && this.#user === connection) return;
    throw new TenonError('instance-failed', 'The server behind the bridge is used by another connection.', {
      hint: onlyInstanceHint,
    });
  }
}

/** What to do if one instance is not enough. */
export const onlyInstanceHint =
  'Pass a function that creates a server: fromOfficial(() => createMcpServer()). With shared: true all clients use this one.';
