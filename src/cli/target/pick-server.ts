/** Shows the servers that configuration files name, and lets the person choose one. Starts none of them. */
import { maskText } from '../../lib/text/secret-text.ts';
import type { Io } from '../io/io.ts';
import { configuredServers, type FoundServer } from './configured-servers.ts';

/** The target that was chosen; `undefined` for none; `'nothing found'` if there are no servers. */
export async function pickServer(io: Io): Promise<string | undefined | 'nothing found'> {
  const servers = distinct(await configuredServers(io));
  if (servers.length === 0) return 'nothing found';
  return io.prompts.choose({
    message: 'Servers that were found. Connect to',
    options: [
      ...servers.map((server) => ({ value: targetOf(server), label: targetOf(server), hint: hintOf(server) })),
      { value: undefined, label: 'none of them' },
    ],
    signal: io.signal,
  });
}

/** A file may have the same server for all projects and for one. */
function distinct(servers: readonly FoundServer[]): readonly FoundServer[] {
  const byTarget = new Map(servers.map((server) => [targetOf(server), server]));
  return [...byTarget.values()];
}

const targetOf = ({ server, file }: FoundServer): string => `${server}@${file.client}`;

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
