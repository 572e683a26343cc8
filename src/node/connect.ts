/** Connects to any target on Node: a command that it starts, a URL, a server in this process, or a transport. */

import type { Client } from '../client/api/client.ts';
import type { Contract } from '../client/api/contract.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import { buildClient, buildConnectedClient } from '../client/client-core.ts';
import { connectorFor as connectorWithoutNode, type ServerLike } from '../client/connect.ts';
import { type Connector, type OpenConnection } from '../client/connection/connector.ts';
import { withStep } from '../client/connection/failed-step.ts';
import { type RememberedVersions, remembering } from '../client/connection/negotiation/remembered-versions.ts';
import { checkConnectOptions } from '../client/connection/options-check.ts';
import type { RevisionTransport } from '../client/connection/revision-transport.ts';
import { type HttpConnector, httpConnector } from '../client/http/connector.ts';
import { createFetchPort } from '../client/http/port/fetch-port.ts';
import { isHttpTarget, type HttpTarget as PortableHttpTarget } from '../client/http/target.ts';
import { checkHttpTarget } from '../client/http/target-check.ts';
import { createWarningLog } from '../lib/errors/warning-log.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import type { ReportTap } from '../transport/tap.ts';
import type { Transport } from '../transport/transport.ts';
import { checkCommand } from './child/command.ts';
import type { CommandTarget } from './child/command-target.ts';
import { commandConnector, nameOfCommand } from './child/connect-command.ts';
import { httpPortOptions } from './http-client/port-options.table.ts';
import type { HttpPortOptions } from './http-client/port-options.ts';
import { checkNode } from './process/node-version.ts';
import { processWide } from './process/process-wide.ts';

/** A server at a URL, with headers and options of the connection. */
export interface HttpTarget extends PortableHttpTarget, HttpPortOptions {}

/** Everything that Node can connect to: a URL, a command, a server in this process, or a transport. */
export type Target<S = unknown> = string | URL | HttpTarget | CommandTarget | (S & ServerLike) | Transport;

/**
 * Connects to a server: a URL, a command, a server in this process, or a transport. Rejects when the first attempt fails.
 *
 * @example
 * ```ts
 * const remote = await connect('https://example.com/mcp');
 * const local = await connect({ command: 'node', args: ['server.js'] });
 * const typed = await connect<typeof server>('https://example.com/mcp');
 * ```
 */
export async function connect<S extends ServerLike>(target: S, options?: ConnectOptions): Promise<Client<S>>;
export async function connect<S>(
  target: Target,
  options: ConnectOptions & { readonly contract: Contract<S> },
): Promise<Client<S>>;
export async function connect<S = unknown>(target: Target, options?: ConnectOptions): Promise<Client<S>>;
export async function connect<S>(target: Target, options: ConnectOptions = {}): Promise<Client<S>> {
  const prepared = prepare(target, options);
  return buildConnectedClient<S>(prepared.connector, prepared.options);
}

/** Creates a client that connects when it is first used, and retries when that fails. */
export function createClient<S extends ServerLike>(target: S, options?: ConnectOptions): Client<S>;
export function createClient<S>(
  target: Target,
  options: ConnectOptions & { readonly contract: Contract<S> },
): Client<S>;
export function createClient<S = unknown>(target: Target, options?: ConnectOptions): Client<S>;
export function createClient<S>(target: Target, options: ConnectOptions = {}): Client<S> {
  const prepared = prepare(target, options);
  return buildClient<S>(prepared.connector, prepared.options);
}

/**
 * Opens a transport to a command or a URL, over which the caller speaks MCP itself, for a proxy. `report` sees what happens
 * around the messages.
 */
export async function openTransport(
  target: CommandTarget | HttpTarget,
  options: ConnectOptions,
  report: ReportTap,
): Promise<RevisionTransport> {
  if (isCommand(target)) checkCommand(target);
  else checkHttpTarget(target, httpPortOptions);
  const connector = isCommand(target) ? commandConnector(target, options) : httpFrom(target, options);
  return new Promise((resolve, reject) => {
    const open: OpenConnection = async (transport) => {
      resolve(transport);
      // Connectors only pass it on.
      return undefined as never;
    };
    connector
      .connect(open, new AbortController().signal, createDeadlines(), report)
      .catch((error) => reject(withStep(error)));
  });
}

const rememberedVersions = (): RememberedVersions => processWide('remembered versions', () => new Map());

interface Prepared {
  readonly connector: Connector;
  readonly options: ConnectOptions;
}

/** Checks target and options before anything is started. */
function prepare(target: Target, options: ConnectOptions): Prepared {
  checkNode();
  checkConnectOptions(options);
  if (isHttpTarget(target)) {
    checkHttpTarget(target, httpPortOptions);
    const connector = httpFrom(target, options);
    return { connector: remembering(rememberedVersions(), connector.address, connector), options };
  }
  if (!isCommand(target)) return { connector: connectorWithoutNode(target, options), options };
  checkCommand(target);
  // The log of the client, also for what the process prints before there is a connection.
  const withWarnings = { ...options, onWarning: options.onWarning ?? createWarningLog() };
  return {
    connector: remembering(rememberedVersions(), nameOfCommand(target), commandConnector(target, withWarnings)),
    options: withWarnings,
  };
}

/** The HTTP client is loaded when the first URL is connected to. */
const httpFrom = (target: string | URL | HttpTarget, options: ConnectOptions): HttpConnector =>
  httpConnector(target, options, async () => {
    const { openUndiciPort } = await import('./http-client/open-port.ts');
    const port = await openUndiciPort(typeof target === 'string' || target instanceof URL ? {} : target);
    return port ?? createFetchPort();
  });

const isCommand = (target: unknown): target is CommandTarget =>
  typeof target === 'object' && target !== null && 'command' in target && !('accept' in target) && !('send' in target);
