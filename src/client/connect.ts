/** Connects to a server and gives a client, with the revision settled once. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { Fields } from '../protocol/neutral.ts';
import type { Transport } from '../transport/channel.ts';
import { createMemoryTransports } from '../transport/memory.ts';
import type { Client } from './api/client.ts';
import type { ConnectOptions } from './api/options.ts';
import { buildClient, buildConnectedClient } from './client-core.ts';
import { type Connector } from './connection/connector.ts';
import { checkConnectOptions } from './connection/options-check.ts';
import { httpConnector } from './http/connector.ts';
import { createFetchPort } from './http/port/fetch-port.ts';
import { type HttpTarget, isHttpTarget } from './http/target.ts';
import { checkHttpTarget } from './http/target-check.ts';

/** Anything that serves a channel: a server in this process. */
export interface ServerLike {
  accept(channel: Transport): unknown;
}

/** What can be connected to without Node: an address, a server in this process, or a channel. */
export type Target<S = unknown> = string | URL | HttpTarget | (S & ServerLike) | Transport;

/** Connects to a server by its address, in this process, or over a channel. The server's type, where it is known, types the client. */
export async function connect<S = unknown>(target: Target<S>, options: ConnectOptions = {}): Promise<Client<S>> {
  return buildConnectedClient<S>(connectorFor(target, options), options);
}

/** A client that connects when it is first used, and goes on trying when that fails. */
export function createClient<S = unknown>(target: Target<S>, options: ConnectOptions = {}): Client<S> {
  return buildClient<S>(connectorFor(target, options), options);
}

/** A server in this process is reached through a pair of channels, by the same text as any other. */
export function connectorFor(target: Target, options: ConnectOptions): Connector {
  checkConnectOptions(options);
  if (isHttpTarget(target)) {
    checkHttpTarget(target);
    return httpConnector(target, options, createFetchPort);
  }
  if (has(target, 'open') && has(target, 'send'))
    return { reconnects: false, connect: (open) => open(target as Transport) };
  if (!has(target, 'accept')) throw unreachable(target);
  return {
    reconnects: false,
    async connect(open) {
      const [here, there] = createMemoryTransports();
      (target as ServerLike).accept(there);
      return open(here);
    },
  };
}

const has = (target: unknown, method: string): boolean =>
  typeof target === 'object' && target !== null && typeof (target as Fields)[method] === 'function';

const unreachable = (target: unknown): TenonError =>
  new TenonError('invalid-argument', `connect() cannot reach ${nameOf(target)}.`, {
    hint: 'Pass a command on Node, a URL, a server made by createServer, or a channel, such as one of memoryChannels().',
  });

const nameOf = (target: unknown): string =>
  typeof target === 'object' && target !== null
    ? `an object with ${Object.keys(target).join(', ') || 'no fields'}`
    : String(JSON.stringify(target));
