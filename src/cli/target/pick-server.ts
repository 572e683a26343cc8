/** Shows the servers that configuration files name, and lets the person choose one. Starts none of them. */
import { maskText } from '../../lib/text/secret-text.ts';
import type { Io } from '../io/io.ts';
import { configuredServers, distinctServers, type FoundServer, targetName } from './configured-servers.ts';

/** The target that was chosen; `undefined` for none; `'nothing found'` if there are no servers. */
export async function pickServer(io: Io): Promise<string | undefined | 'nothing found'> {
  const servers = distinctServers(await configuredServers(io));
  if (servers.length === 0) return 'nothing found';
  return io.prompts.choose({
    message: 'Connect to which server?',
    options: [
      ...servers.map((server) => ({ value: targetName(server), label: targetName(server), hint: hintOf(server) })),
      { value: undefined, label: 'none of them' },
    ],
    signal: io.signal,
  });
}

/** What would be started or called. Arguments and URLs can have secrets in them. */
function hintOf({ origin, file }: FoundServer): string {
  const shown =
    'url' in origin
      ? origin.url.split('?')[0]
      : 'args' in origin
        ? `starts ${origin.command} ${origin.args.join(' ')}`
        : '';
  return `${maskText(shown ?? '')}, in ${file.path}`;
}
