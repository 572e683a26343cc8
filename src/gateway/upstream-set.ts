/** The upstreams of a gateway, and how a reload changes them: those that stay the same stay connected. */
import type { ForwardedCall } from '../forwarding/forwarded-call.ts';
import { ParkedCalls } from '../forwarding/parked-calls.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { canonicalJson } from '../lib/text/canonical-json.ts';
import { callerError } from './calls/errors.ts';
import type { HeldRound } from './calls/held-round.ts';
import { namingFor } from './catalogue/naming.ts';
import type { OpenCalls } from './nodes/other-nodes.ts';
import type { OpenCall } from './nodes/taken-round.ts';
import type { Gateway, Reloaded, UpstreamOptions, UpstreamStatus, Upstreams } from './types.ts';
import { Upstream } from './upstream.ts';
import type { UpstreamEntry, UpstreamPorts } from './upstream-ports.ts';

export class UpstreamSet implements OpenCalls {
  readonly #ports: UpstreamPorts;
  #current: ReadonlyMap<string, Upstream> = new Map();
  /** Replaced ones whose calls have not ended. */
  readonly #draining = new Map<Upstream, Promise<void>>();
  #list: readonly Upstream[] = [];
  /** By the names of upstreams: a call continues after a reload. */
  readonly #parked = new Map<string, ParkedCalls<ForwardedCall>>();
  readonly #held = new Map<string, ParkedCalls<HeldRound>>();

  constructor(ports: UpstreamPorts, upstreams: Upstreams) {
    this.#ports = ports;
    this.#use(this.#next(upstreams));
  }

  /** In the order of the options. */
  get list(): readonly Upstream[] {
    return this.#list;
  }

  /** Those that have calls, replaced ones included. */
  get all(): readonly Upstream[] {
    return [...this.#list, ...this.#draining.keys()];
  }

  /** The connections and lists of a principal: all of them, or those at one upstream or of one client. */
  async revoke(principal: string, { upstream, client }: Parameters<Gateway['revoke']>[1] = {}): Promise<void> {
    const found = this.all.filter(({ name }) => upstream === undefined || name === upstream);
    await Promise.all(found.map((one) => one.revoke(principal, client)));
  }

  has(callId: string): boolean {
    return this.#withParked(callId) !== undefined;
  }

  take(callId: string): OpenCall | undefined {
    const upstream = this.#withParked(callId);
    const call = upstream?.parked.take(callId);
    if (upstream === undefined || call === undefined) return undefined;
    const shown = (error: unknown): RpcError => {
      const found = callerError(upstream.name, error, upstream.naming.uris.outward);
      if (found !== error) upstream.callFailed(error);
      return RpcError.from(found);
    };
    return { call, shown };
  }

  /** A process no longer waits for the answers to its requests. Returns whether one did. */
  abandonHeld(callId: string): boolean {
    const found = this.all.find(({ held }) => held.has(callId))?.held.take(callId);
    found?.abandoned();
    return found !== undefined;
  }

  #withParked(callId: string): Upstream | undefined {
    return this.all.find(({ parked }) => parked.has(callId));
  }

  reload(upstreams: Upstreams): Reloaded {
    const before = this.#current;
    const next = this.#next(upstreams);
    this.#use(next);
    const names = [...next.keys()];
    for (const [name, upstream] of before) if (next.get(name) !== upstream) this.#drain(upstream);
    return {
      added: names.filter((name) => !before.has(name)),
      removed: [...before.keys()].filter((name) => !next.has(name)),
      changed: names.filter((name) => before.has(name) && before.get(name) !== next.get(name)),
      unchanged: names.filter((name) => before.get(name) === next.get(name)),
    };
  }

  /** Its connections take no new calls: another generation of it does. */
  renew(name: string): void {
    const known = this.#current.get(name);
    if (known === undefined)
      throw new TenonError('invalid-argument', `drain(): There is no upstream ${JSON.stringify(name.slice(0, 40))}.`, {
        hint: `The upstreams are ${[...this.#current.keys()].join(', ')}.`,
      });
    const { options, naming, isOnly, generation } = known;
    const next = this.#create({ name, options, naming, isOnly, generation: generation + 1 });
    this.#use(new Map([...this.#current].map(([key, one]) => [key, one === known ? next : one])));
    this.#drain(known);
  }

  /** Something was approved, here or by another process. */
  compareAgain(): void {
    for (const upstream of this.#list) upstream.compareAgain();
  }

  /** With the calls of its earlier generations. */
  statusOf(upstream: Upstream): UpstreamStatus {
    const status = upstream.status();
    const older = [...this.#draining.keys()].filter(({ name }) => name === upstream.name).map((one) => one.status());
    return { ...status, connections: older.reduce((all, { connections }) => all + connections, status.connections) };
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((upstream) => upstream.close()));
  }

  #next(upstreams: Upstreams): ReadonlyMap<string, Upstream> {
    const entries = Object.entries(upstreams);
    const isOnly = entries.length === 1;
    checkPrefixes(entries);
    return new Map(
      entries.map(([name, options]) => {
        const naming = namingFor(name, options, isOnly);
        const known = this.#current.get(name);
        const isSame =
          known !== undefined &&
          known.naming.prefix === naming.prefix &&
          known.isOnly === isOnly &&
          isEqual(known.options, options);
        const generation = (known?.generation ?? 0) + 1;
        return [name, isSame ? known : this.#create({ name, options, naming, generation, isOnly })];
      }),
    );
  }

  #create(entry: Omit<UpstreamEntry, 'parked' | 'held'>): Upstream {
    const { deadlines, ttlMs } = this.#ports;
    const parked = this.#parked.get(entry.name) ?? new ParkedCalls<ForwardedCall>(deadlines, ttlMs);
    this.#parked.set(entry.name, parked);
    const held = this.#held.get(entry.name) ?? new ParkedCalls<HeldRound>(deadlines, ttlMs);
    this.#held.set(entry.name, held);
    return new Upstream({ ...entry, parked, held }, this.#ports);
  }

  #use(next: ReadonlyMap<string, Upstream>): void {
    this.#current = next;
    this.#list = [...next.values()];
  }

  #drain(upstream: Upstream): void {
    const drained = upstream.drain().finally(() => this.#draining.delete(upstream));
    this.#draining.set(upstream, drained);
  }
}

/** Without a prefix at most one upstream, or those that are meant to be mixed; equal prefixes would mix by accident. */
function checkPrefixes(entries: readonly (readonly [string, UpstreamOptions])[]): void {
  const owners = new Map<string, string>();
  for (const [name, { prefix = name }] of entries) {
    const other = owners.get(prefix);
    if (other !== undefined && prefix !== '')
      throw new TenonError('invalid-argument', `upstreams.${name} has the prefix "${prefix}" of upstreams.${other}.`, {
        hint: `Set another upstreams.${name}.prefix.`,
      });
    owners.set(prefix, name);
  }
}

/** Functions and servers are the same only if they are the same object. */
function isEqual(one: UpstreamOptions, other: UpstreamOptions): boolean {
  const { auth, server, ...plain } = one;
  const { auth: otherAuth, server: otherServer, ...otherPlain } = other;
  return auth === otherAuth && server === otherServer && canonicalJson(plain) === canonicalJson(otherPlain);
}
