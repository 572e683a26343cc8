/** Connects to whatever a process can reach: a command that it starts, an address, a server beside it, a channel. */
import { assembleClient, connectedClient, type Reach } from '../client/assembly.ts';
import type { Client } from '../client/client.ts';
import { reachOf as reachWithoutNode, type Target as TargetWithoutNode } from '../client/connect.ts';
import { httpReach } from '../client/http/reach.ts';
import { type HttpTarget, isHttpTarget, readHttpTarget } from '../client/http/target.ts';
import type { ConnectOptions } from '../client/options.ts';
import { remembering, type Verdicts } from '../client/verdicts.ts';
import type { Command } from './command.ts';
import { dialCommand, nameOfCommand } from './dial-command.ts';
import type { HttpPortOptions } from './http-port.ts';
import { processWide } from './process-wide.ts';

/** An address, with what goes along and how it is reached. */
export interface HttpAddressed extends HttpTarget, HttpPortOptions {}

export type Target<S = unknown> = TargetWithoutNode<S> | HttpAddressed | Command;

/** Connects to an address, to a command, to a server in this process, or over a channel. */
export async function connect<S = unknown>(target: Target<S>, options: ConnectOptions = {}): Promise<Client<S>> {
  return connectedClient<S>(reachOf(target, options), options);
}

/** A client that connects when it is first used, and goes on trying when that fails. */
export function createClient<S = unknown>(target: Target<S>, options: ConnectOptions = {}): Client<S> {
  return assembleClient<S>(reachOf(target, options), options);
}

const verdicts = (): Verdicts => processWide('verdicts on servers', () => new Set());

function reachOf(target: Target, options: ConnectOptions): Reach {
  if (isHttpTarget(target)) return remembering(verdicts(), readHttpTarget(target).url.href, httpFrom(target, options));
  if (!isCommand(target)) return reachWithoutNode(target, options);
  const reach: Reach = { reconnects: true, startsServer: true, dial: (open) => dialCommand(target, options, open) };
  return remembering(verdicts(), nameOfCommand(target), reach);
}

/** What HTTP takes is loaded when the first address is connected to. */
const httpFrom = (target: string | URL | HttpAddressed, options: ConnectOptions): Reach =>
  httpReach(target, options, async () => {
    const { createNodePort } = await import('./http-port.ts');
    return createNodePort(typeof target === 'string' || target instanceof URL ? {} : target);
  });

const isCommand = (target: unknown): target is Command =>
  typeof target === 'object' && target !== null && 'command' in target && !('accept' in target) && !('send' in target);
