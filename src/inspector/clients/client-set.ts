/** All clients of the inspector. */
import type { ApiConnectOptions, ApiTarget, PreparedTarget } from '../api/clients.ts';
import { InspectorError } from '../api-error.ts';
import { Confirmations } from './confirmations.ts';
import { type ClientPorts, InspectedClient } from './inspected-client.ts';
import { type ResolvedTarget, resolveTarget, type TargetSources } from './targets.ts';

/**
 * Clients, connected or not.
 * @limit inspector
 * @beyond the call fails
 * @code too-many
 */
const maxClients = 50;

export class ClientSet {
  readonly #clients = new Map<string, InspectedClient>();
  readonly #ports: ClientPorts;
  readonly #sources: TargetSources;
  readonly #confirmations: Confirmations;
  #count = 0;

  constructor(ports: ClientPorts, sources: TargetSources) {
    this.#ports = ports;
    this.#sources = sources;
    this.#confirmations = new Confirmations(ports.now);
  }

  get all(): readonly InspectedClient[] {
    return [...this.#clients.values()];
  }

  get(id: string): InspectedClient {
    const found = this.#clients.get(id);
    if (found !== undefined) return found;
    throw new InspectorError('not-found', `There is no client ${JSON.stringify(id)}.`);
  }

  /** The client of an event; undefined if it was removed meanwhile. */
  find(id: string | undefined): InspectedClient | undefined {
    return id === undefined ? undefined : this.#clients.get(id);
  }

  /** `tab` is the one that shows it: only there can it be confirmed. */
  async prepare(target: ApiTarget, tab: string): Promise<PreparedTarget> {
    const { shown, spawn, sends } = await resolveTarget(target, this.#sources);
    if (spawn !== undefined)
      return { target, shown, spawns: { ...spawn, nonce: await this.#confirmations.show(spawn, tab) } };
    if (sends === undefined) return { target, shown };
    const nonce = await this.#confirmations.show(sends, tab);
    return { target, shown, sends: { variables: sends.variables, nonce } };
  }

  async connect(target: ApiTarget, options: ApiConnectOptions, tab: string, nonce?: string): Promise<InspectedClient> {
    const resolved = await resolveTarget(target, this.#sources);
    const { spawn, sends } = resolved;
    if (spawn !== undefined) await this.#confirmations.use(nonce, spawn, tab);
    if (sends !== undefined) {
      await this.#confirmations.use(nonce, sends, tab);
      await sends.onConfirmed?.();
    }
    return this.open(resolved, options);
  }

  /** Of a target that the program has chosen, or that was confirmed before. */
  open(resolved: ResolvedTarget, options: ApiConnectOptions): InspectedClient {
    if (this.#clients.size >= maxClients)
      throw new InspectorError('too-many', `There are ${maxClients} clients.`, 'Remove one that is not needed.');
    const client = new InspectedClient(`c${++this.#count}`, resolved, options, this.#ports);
    this.#clients.set(client.id, client);
    client.connect();
    return client;
  }

  async remove(id: string): Promise<void> {
    const client = this.get(id);
    this.#clients.delete(id);
    await client.close();
    this.#ports.log.publish({ type: 'client-removed', client: id });
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.all.map((client) => client.close()));
  }
}
