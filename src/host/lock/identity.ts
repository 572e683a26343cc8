/** The identity of a server, apart from its definitions. */

import { sha256Hex } from '../../lib/text/hex.ts';
import type { ServerIdentity } from '../../ports/lock.ts';
import type { ServerOrigin } from '../servers/config.ts';

/** A server, as a lock is compared with it: one of a host, or a connection of a gateway. */
export interface ComparedServer {
  /** Its name in the configuration. */
  readonly server: string;
  readonly origin: ServerOrigin;
  /** What it says of itself; absent while there is no connection. */
  readonly connected:
    | { readonly serverInfo?: { readonly name: string } | undefined; readonly instructions?: string | undefined }
    | undefined;
}

/**
 * The command or URL as the configuration has it, before variables are replaced, and the name that the server gives
 * itself. A lock is in version control: arguments and the query of a URL may be secrets, so it has their hash.
 */
export async function identityOf({
  origin,
  connected,
}: Pick<ComparedServer, 'origin' | 'connected'>): Promise<ServerIdentity> {
  const name = connected?.serverInfo?.name ?? '';
  if ('url' in origin) {
    const [url = '', query] = origin.url.replace(/#.*$/s, '').split(/\?(.*)/s);
    return { name, url: url.replace(/\/\/[^/]*@/, '//'), ...(query !== undefined && { query: await hashOf(query) }) };
  }
  if ('args' in origin) return { name, command: origin.command, arguments: await hashOf(JSON.stringify(origin.args)) };
  return { name };
}

const hashOf = async (text: string): Promise<string> => `sha256-${await sha256Hex(text)}`;
