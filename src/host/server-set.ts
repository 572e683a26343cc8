/** The servers of a host: those of the configuration, and those that are added and removed at run time. */
import type { Client } from '../client/api/client.ts';
import { defaultListLimits } from '../client/api/listing.ts';
import type { ConnectLimits, ConnectOptions } from '../client/api/options.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { fixed } from '../lib/options/fixed-limits.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import { clientProblems, refuseAll } from './options-check.ts';
import { type AnswerPorts, answersFor } from './requests/handlers.ts';
import type { ChangeBroadcast } from './servers/changes.ts';
import { type ConfiguredServer, type HostTarget, readServers, type ServerConfig } from './servers/config.ts';
import { HostServer } from './servers/host-server.ts';
import type { Variables } from './servers/variables.ts';
import type { HostSettings } from './settings.ts';

/** Makes the client of one server. */
export type OpenClient = (target: HostTarget, options: ConnectOptions, server: string) => Client;

export interface ServerSetPorts {
  readonly options: HostSettings;
  readonly answering: AnswerPorts;
  readonly broadcast: ChangeBroadcast;
  readonly deadlines: Deadlines;
  readonly variables: Variables;
  /** Aborted when the host is closed. */
  readonly closed: AbortSignal;
  readonly open: OpenClient;
  warn(server: string, error: Error): void;
}

export class ServerSet {
  /** In the order in which they were added. It stays the same array, so that all who hold it see the servers of now. */
  readonly hostServers: HostServer[];
  readonly #ports: ServerSetPorts;

  constructor(configured: readonly ConfiguredServer[], ports: ServerSetPorts) {
    this.#ports = ports;
    this.hostServers = configured.map((entry) => this.#create(entry));
  }

  /** Throws `invalid-argument` for an unknown name. */
  named(server: unknown, caller: string): HostServer {
    const found = this.hostServers.find((hostServer) => hostServer.server === server);
    if (found !== undefined) return found;
    throw wrong(`${caller}: The host has no server ${JSON.stringify(server)}.`, 'Use a name in host.servers.');
  }

  add(server: string, config: ServerConfig): void {
    const caller = 'addServer()';
    const { closed, variables, broadcast, options } = this.#ports;
    closed.throwIfAborted();
    if (typeof server !== 'string') throw wrong(`${caller}: The name of the server must be a string.`, example);
    if (this.hostServers.some((hostServer) => hostServer.server === server))
      throw wrong(`${caller}: The host has a server ${JSON.stringify(server)} already.`, 'Call removeServer() first.');
    const { servers, problems } = readServers({ mcpServers: { [server]: config } }, variables, options.auth);
    refuseAll(problems, caller);
    const [entry] = servers;
    if (entry === undefined)
      throw wrong(`${caller}: ${server} is disabled.`, 'Remove "disabled" from its configuration.');
    this.hostServers.push(this.#create(entry));
    broadcast.put({ server, change: { type: 'server', state: 'added' } });
  }

  async remove(server: string, options?: { readonly timeoutMs?: number }): Promise<void> {
    const hostServer = this.named(server, 'removeServer()');
    this.hostServers.splice(this.hostServers.indexOf(hostServer), 1);
    this.#ports.broadcast.put({ server, change: { type: 'server', state: 'removed' } });
    await hostServer.close(new TenonError('connection-closed', `The server ${server} was removed.`), options);
  }

  /** The policy shows other items than before. */
  reportListChanges(): void {
    for (const hostServer of this.hostServers) {
      hostServer.adaptSubscription();
      for (const type of ['tools', 'prompts', 'resources'] as const)
        this.#ports.broadcast.put({ server: hostServer.server, change: { type } });
    }
  }

  async close(reason: TenonError, options?: { readonly timeoutMs?: number }): Promise<void> {
    await Promise.all(this.hostServers.map((hostServer) => hostServer.close(reason, options)));
  }

  #create(entry: ConfiguredServer): HostServer {
    const { options, broadcast, deadlines, warn } = this.#ports;
    return new HostServer({
      server: entry.server,
      origin: entry.origin,
      resolved: entry.resolved,
      deadlines,
      listMs: options.timeouts.listMs,
      idleMs: options.timeouts.idleMs,
      maxListed: options.limits.maxListed,
      broadcast,
      open: createOpen(entry, this.#ports),
      warn: (error) => warn(entry.server, error),
    });
  }
}

/**
 * Characters of a list of one server. Many servers share the memory of a host, which stores the lists of each.
 * @limit host
 * @default 4 Mi, or 4 Ki for each of `limits.maxListed` if that is more
 * @beyond the rest is left out, with an error in the list
 * @code list-too-long
 */
const charsOfItem = 4 * 1024;

/** Each client gets its own options. The limits on server requests hold for all clients of a server together. */
function createOpen({ server, target }: ConfiguredServer, ports: ServerSetPorts): () => Client {
  const { options, answering, open, warn } = ports;
  const { connectOptions: connect = {}, clientInfo, onLog, limits } = options;
  const { maxListed } = limits;
  const answers = answersFor(server, answering);
  // A client must not end a list before the host does.
  const maxListItems = Math.max(defaultListLimits.maxListItems, 2 * maxListed);
  const maxListChars = charsOfItem * Math.max(1024, maxListed);
  return () => {
    if (target instanceof TenonError) throw target;
    const own = typeof connect === 'function' ? connect(server) : connect;
    if (own !== connect) refuseAll(clientProblems(`connectOptions(${JSON.stringify(server)})`, own));
    const clientOptions: ConnectOptions = {
      ...own,
      limits: withListChars({ maxListItems, ...own.limits }, maxListChars),
      ...(clientInfo && { clientInfo }),
      handlers: answers,
      onWarning: (error) => warn(server, error),
      ...(onLog && { onLog: (entry) => onLog(server, entry) }),
    };
    return open(target, clientOptions, server);
  };
}

/** The lists of a host are smaller than those of a client. A test may have set other limits that are fixed. */
function withListChars(limits: ConnectLimits & { readonly [fixed]?: object }, maxListChars: number): ConnectLimits {
  const fixedLimits = { maxListChars, ...limits[fixed] };
  return { ...limits, [fixed]: fixedLimits } as ConnectLimits;
}

const example = "Write host.addServer('files', { command: 'npx', args: ['…'] }).";

const wrong = (message: string, hint: string): TenonError => new TenonError('invalid-argument', message, { hint });
