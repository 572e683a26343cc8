/** The identity of a server, apart from its definitions. */

import { sha256Hex } from '../../lib/text/hex.ts';
import type { ServerIdentity } from '../../ports/lock.ts';
import type { HostServer } from '../servers/host-server.ts';

/**
 * The command or URL as the configuration has it, before variables are replaced, and the name that the server gives
 * itself. A lock is in version control: arguments and the query of a URL may be secrets, so it has their hash.
 */
export async function identityOf({ origin, connected }: HostServer): Promise<ServerIdentity> {
  const name = connected?.serverInfo?.name ?? '';
  if ('url' in origin) {
    const [url = '', query] = origin.url.replace(/#.*$/s, '').split(/\?(.*)/s);
    return { name, url: url.replace(/\/\/[^/]*@/, '//'), ...(query !== undefined && { query: await hashOf(query) }) };
  }
  if ('args' in origin) return { name, command: origin.command, arguments: await hashOf(JSON.stringify(origin.args)) };
  return { name };
}

const hashOf = async (text: string): Promise<string> => `sha256-${await sha256Hex(text)}`;
