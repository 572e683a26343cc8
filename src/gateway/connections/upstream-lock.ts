/** The lock of one upstream: each connection shows, and calls, only what was approved of the upstream. */
import type { Client } from '../../client/api/client.ts';
import { LockGate } from '../../host/lock/gate.ts';
import type { ComparedServer } from '../../host/lock/identity.ts';
import type { ServerOrigin } from '../../host/servers/config.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import type { ListedKind, Lock } from '../../ports/lock.ts';
import { type ListReader, listedKinds, type UpstreamLists } from './upstream-lists.ts';

export interface UpstreamLockPorts {
  readonly lock: Lock;
  readonly upstream: string;
  readonly origin: ServerOrigin;
  /** How long a list may take. */
  readonly openMs: number;
  readonly reader: ListReader;
  warn(error: TenonError): void;
}

/** What an upstream was when its lists were read. */
export interface SeenUpstream extends ComparedServer {
  readonly lists: UpstreamLists;
}

/** Differences that are reported once. */
const maxReported = 100;

export class UpstreamLock {
  readonly #ports: UpstreamLockPorts;
  readonly #reported = new Set<string>();
  /** Rises when something was approved: every connection is compared again. */
  version = 0;
  /** By any caller: the gateway itself may have no account there. */
  lastSeen: SeenUpstream | undefined;

  constructor(ports: UpstreamLockPorts) {
    this.#ports = ports;
  }

  get ports(): UpstreamLockPorts {
    return this.#ports;
  }

  outdate(): void {
    this.version++;
    this.#reported.clear();
  }

  of(client: Client): ConnectionLock {
    return new ConnectionLock(this, client);
  }

  get hasReported(): boolean {
    return this.#reported.size > 0;
  }

  /** Each difference once, though every connection finds it. */
  report(error: Error): void {
    const text = error instanceof TenonError ? messageWithoutHint(error) : error.message;
    if (this.#reported.has(text) || this.#reported.size >= maxReported) return;
    this.#reported.add(text);
    const hint = 'Compare and approve it: tenon gateway --config FILE --approve, or gateway.approve() in a program.';
    this.#ports.warn(new TenonError('lock-mismatch', text, { hint, cause: error }));
  }
}

interface Connected extends ComparedServer {
  readonly connected: Client;
}

/** The lock of one connection: the next one may reach another server. */
export class ConnectionLock {
  readonly #of: UpstreamLock;
  readonly #gate: LockGate<Connected>;
  readonly #server: Connected;
  #version: number;
  #admitted: Promise<void> | undefined;
  /** While all lists are compared. */
  #lists: UpstreamLists | undefined;

  constructor(of: UpstreamLock, client: Client) {
    const { lock, upstream, origin } = of.ports;
    this.#of = of;
    this.#version = of.version;
    this.#server = { server: upstream, origin, connected: client };
    this.#gate = new LockGate<Connected>({
      lock: Promise.resolve(lock),
      recorder: { begin() {}, append() {} },
      refresh: (kind) => this.#refresh(kind),
      list: async (kind) => ({ items: [...(this.#lists?.[kind] ?? (await this.#read(kind)))], problem: undefined }),
      warn: (_upstream, error) => of.report(error),
    });
  }

  /** Rejects with `lock-mismatch` unless the upstream is the approved one. */
  admit(): Promise<void> {
    if (this.#version !== this.#of.version) {
      this.#version = this.#of.version;
      this.#gate.outdate(this.#of.ports.upstream);
      this.#admitted = undefined;
    }
    this.#admitted ??= this.#gate.checkServer(this.#server).catch((error: unknown) => {
      this.#admitted = undefined;
      if (!this.#of.hasReported) this.#of.report(error as Error);
      throw error;
    });
    return this.#admitted;
  }

  /** Rejects with `lock-mismatch` unless what a call names is as it was approved. It is listed again if it may have changed. */
  async check(method: string, params: Fields): Promise<void> {
    const named = namedBy(method, params);
    if (named !== undefined) await this.#gate.check(this.#server, ...named);
  }

  /** A list of the upstream has changed. */
  changed(list: 'tools' | 'prompts' | 'resources'): void {
    this.#gate.onChange({ server: this.#of.ports.upstream, change: { type: list } });
  }

  /** What is approved of its lists, and its instructions if they are. Rejects with `lock-mismatch` if nothing is. */
  async read(
    signal: AbortSignal,
  ): Promise<{ readonly lists: UpstreamLists; readonly instructions: string | undefined }> {
    const { upstream, origin } = this.#of.ports;
    const { connected } = this.#server;
    const { serverInfo, instructions } = connected;
    const version = this.#gate.version(upstream);
    const lists = await this.#of.ports.reader.readAll(connected, signal);
    this.#of.lastSeen = { server: upstream, origin, connected: { serverInfo, instructions }, lists };
    this.#lists = lists;
    try {
      const shown = await Promise.all(
        // Users may have smaller lists than the one who has approved: nothing is missing.
        listedKinds.map((kind) => this.#gate.review(this.#server, kind, lists[kind], false, version)),
      );
      await this.admit();
      const isShown = instructions !== undefined && this.#gate.allowsInstructions(upstream, instructions);
      return {
        lists: Object.fromEntries(listedKinds.map((kind, at) => [kind, shown[at]?.items ?? []])) as never,
        instructions: isShown ? instructions : undefined,
      };
    } finally {
      this.#lists = undefined;
    }
  }

  async #refresh(kind: ListedKind): Promise<Error | undefined> {
    const version = this.#gate.version(this.#of.ports.upstream);
    try {
      const items = await this.#read(kind);
      return (await this.#gate.review(this.#server, kind, items, false, version)).problem;
    } catch (error) {
      return error as Error;
    }
  }

  #read(kind: ListedKind): Promise<readonly Fields[]> {
    const { reader, openMs } = this.#of.ports;
    return reader.read(this.#server.connected, kind, AbortSignal.timeout(openMs));
  }
}

/** The definition that a request names. */
function namedBy(method: string, { name, uri, ref }: Fields): readonly [ListedKind, string] | undefined {
  if (method === 'tools/call') return ['tool', String(name)];
  if (method === 'prompts/get') return ['prompt', String(name)];
  if (method === 'resources/read' || method === 'resources/subscribe') return ['resource', String(uri)];
  if (method !== 'completion/complete' || !isRecord(ref)) return undefined;
  return ref.type === 'ref/prompt' ? ['prompt', String(ref.name)] : ['template', String(ref.uri)];
}
