/** Connects to a server and returns a client. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Fields } from '../lib/values/is.ts';
import { isOfficialServer, officialHint } from '../ports/official-server.ts';
import type { Transport } from '../transport/transport.ts';
import type { Client } from './api/client.ts';
import type { Contract } from './api/contract.ts';
import type { ConnectOptions } from './api/options.ts';
import { buildClient, buildConnectedClient } from './client-core.ts';
import { type Connector } from './connection/connector.ts';
import { checkConnectOptions } from './connection/options-check.ts';
import { httpConnector } from './http/connector.ts';
import { createFetchPort } from './http/port/fetch-port.ts';
import { type HttpTarget, isHttpTarget } from './http/target.ts';
import { checkHttpTarget } from './http/target-check.ts';
import { memoryConnector } from './memory-connector.ts';

/** A server in this process, such as the result of `createServer`. */
export interface ServerLike {
  /** Serves a client over a transport. */
  accept(transport: Transport): unknown;
}

/** Everything that can be connected to without Node: a URL, a server in this process, or a transport. */
export type Target<S = unknown> = string | URL | HttpTarget | (S & ServerLike) | Transport;

/**
 * Connects to a server: a URL, a server in this process, or a transport. Rejects when the first attempt fails.
 *
 * @example
 * ```ts
 * const client = await connect('https://example.com/mcp');
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
  return buildConnectedClient<S>(connectorFor(target, options), options);
}

/** Creates a client that connects when it is first used, and retries when that fails. */
export function createClient<S extends ServerLike>(target: S, options?: ConnectOptions): Client<S>;
export function createClient<S>(
  target: Target,
  options: ConnectOptions & { readonly contract: Contract<S> },
): Client<S>;
export function createClient<S = unknown>(target: Target, options?: ConnectOptions): Client<S>;
export function createClient<S>(target: Target, options: ConnectOptions = {}): Client<S> {
  return buildClient<S>(connectorFor(target, options), options);
}

/** Chooses how a target is connected to, after its options were checked. */
export function connectorFor(target: Target, options: ConnectOptions): Connector {
  checkConnectOptions(options);
  if (isHttpTarget(target)) {
    checkHttpTarget(target);
    return httpConnector(target, options, createFetchPort);
  }
  if (has(target, 'open') && has(target, 'send'))
    return {
      reconnects: false,
      connect(open, _signal, _deadlines, report) {
        report?.({ kind: 'open', side: 'client', transport: 'other', peer: '' });
        return open(target as Transport);
      },
    };
  if (!has(target, 'accept')) throw unreachable(target);
  return memoryConnector(target as ServerLike);
}

const has = (target: unknown, method: string): boolean =>
  typeof target === 'object' && target !== null && typeof (target as Fields)[method] === 'function';

const unreachable = (target: unknown): TenonError =>
  isOfficialServer(target)
    ? new TenonError('invalid-argument', 'connect() cannot connect to a server of the official MCP SDK.', {
        hint: officialHint,
      })
    : new TenonError('invalid-argument', `connect() cannot connect to ${nameOf(target)}.`, {
        hint: 'Pass a URL, a command (on Node), a server made by createServer, or a transport.',
      });

const nameOf = (target: unknown): string =>
  typeof target === 'object' && target !== null
    ? `an object with ${Object.keys(target).join(', ') || 'no fields'}`
    : String(JSON.stringify(target));
