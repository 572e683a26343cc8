/** A server as its author holds it: a definition made ready, and the door through which channels are served. */
import type { Channel } from '../transport/channel.ts';
import type { ServerDefinition } from './definition.ts';
import { type Connection, type ServeOptions, serveChannel } from './duplex.ts';
import { createRegistry } from './registry.ts';

export interface Server {
  readonly name: string;
  readonly version: string;
  /** Serves one connection. The same server can serve any number of them at once. */
  accept(channel: Channel, options?: ServeOptions): Connection;
}

/** Makes a server. A definition error throws here, with the place and the mend. */
export function createServer(definition: ServerDefinition): Server {
  const registry = createRegistry(definition);
  const { name, version } = definition;
  return { name, version, accept: (channel, options) => serveChannel(registry, channel, options) };
}
