/** `tenon info`: who the server is, and what it can do. */
import type { Client } from '../../../client/api/client.ts';
import { readableJson } from '../../../lib/text/readable-json.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { styleFor } from '../../output/style.ts';
import { textTable } from '../../output/table.ts';
import { writeTextFile } from '../../output/write-file.ts';
import { type ReadConnection, readConnection, usingClient } from '../../target/open-client.ts';

export const run: RunCommand = async (given) => {
  if (given.client !== undefined) return infoOf(given.client, given, undefined);
  const connection = await readConnection(given);
  return usingClient(given.io, connection, (client) => infoOf(client, given, connection));
};

async function infoOf(client: Client, given: Given, connection: ReadConnection | undefined): Promise<CommandResult> {
  const { io } = given;
  const { serverInfo, protocolVersion, capabilities, instructions } = client;
  const file = given.text('snapshot');
  if (file !== undefined) {
    const { snapshotOfClient } = await import('../../target/read-snapshot.ts');
    const snapshot = await snapshotOfClient(client, connection, io);
    await writeTextFile(file, `${readableJson(snapshot)}\n`, io);
  }
  const style = styleFor(io);
  const rows = [
    ['server', `${serverInfo?.title ?? serverInfo?.name ?? 'unnamed'} ${serverInfo?.version ?? ''}`.trim()],
    ['protocol', protocolVersion],
    ['offers', Object.keys(capabilities).join(', ') || 'nothing'],
    ...(file === undefined ? [] : [['snapshot', file]]),
  ];
  const table = textTable(
    rows.map(([name = '', value = '']) => [style.dim(name), value]),
    io.columns,
  );
  return {
    result: { serverInfo, protocolVersion, capabilities, instructions, ...(file !== undefined && { snapshot: file }) },
    text: instructions === undefined ? table : `${table}\n\n${instructions}`,
  };
}
