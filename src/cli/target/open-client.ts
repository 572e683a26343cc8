/** Connects to the target of a command. */
import type { Client } from '../../client/api/client.ts';
import type { ConnectOptions } from '../../client/api/options.ts';
import { connect } from '../../node/connect.ts';
import { type ProtocolVersion, protocolVersions } from '../../protocol/revisions/revisions.ts';
import type { Given } from '../manifest/given.ts';
import { usageError } from '../usage-error.ts';
import { readTarget } from './read-target.ts';

/** Runs with a client that is closed afterwards, whatever happens. */
export async function withClient<T>(
  given: Given,
  run: (client: Client) => Promise<T>,
  more: ConnectOptions = {},
  typed = given.target,
): Promise<T> {
  const { target } = await readTarget(given, typed);
  const revision = revisionOf(given);
  const seconds = given.number('timeout');
  const client = await connect(target, {
    clientInfo: { name: 'tenon', version: '0.1.0' },
    // A task that is followed goes on when its server was restarted; a command that has ended is not started again.
    reconnect: typeof target === 'object' && 'url' in target,
    signal: given.io.signal,
    onWarning: (error) => given.io.err(`tenon: ${error.message}\n`),
    ...(revision !== undefined && { protocolVersions: [revision] }),
    ...(seconds !== undefined && { timeoutMs: seconds * 1000 }),
    ...more,
  });
  try {
    return await run(client);
  } finally {
    await client.close({ timeoutMs: 1000 });
  }
}

function revisionOf(given: Given): ProtocolVersion | undefined {
  const text = given.text('revision');
  if (text === undefined || (protocolVersions as readonly string[]).includes(text)) return text as ProtocolVersion;
  throw usageError(`--revision cannot be ${JSON.stringify(text)}.`, `It can be ${protocolVersions.join(', ')}.`);
}
