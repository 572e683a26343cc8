/** What a server offers: of a target, or of a file that `tenon info --snapshot` has written. */
import type { Client } from '../../client/api/client.ts';
import { readSnapshot, type ServerSnapshot, takeSnapshot } from '../../contract/snapshot.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type ProtocolVersion, protocolVersions } from '../../protocol/revisions/revisions.ts';
import { readTextFile } from '../input/read-file.ts';
import type { Given } from '../io/given.ts';
import type { Io } from '../io/io.ts';
import { type ReadConnection, readConnection, usingClient } from './open-client.ts';

export async function snapshotOf(given: Given): Promise<ServerSnapshot> {
  const { target: typed } = given;
  if (typed?.endsWith('.json') && !/^https?:/i.test(typed))
    return readSnapshot(await readTextFile(typed, given.io, 'Write it with tenon info TARGET --snapshot FILE.'));
  const connection = await readConnection(given);
  return usingClient(given.io, connection, (client) => snapshotOfClient(client, connection, given.io));
}

/** In a session a server does not name the versions it supports: each is tried, if it can be connected to again. */
export async function snapshotOfClient(
  client: Client,
  connection: ReadConnection | undefined,
  io: Io,
): Promise<ServerSnapshot> {
  const snapshot = await takeSnapshot(client);
  if (snapshot.protocolVersions !== undefined || connection === undefined) return snapshot;
  if (connection.protocolVersion !== undefined) return snapshot;
  const supported: string[] = [];
  for (const version of protocolVersions)
    if (version === snapshot.protocolVersion || (await supports(connection, io, version))) supported.push(version);
  return { ...snapshot, protocolVersions: supported };
}

async function supports(connection: ReadConnection, io: Io, version: ProtocolVersion): Promise<boolean> {
  try {
    return await usingClient(io, { ...connection, protocolVersion: version }, async () => true);
  } catch (error) {
    if (error instanceof RpcError) return false;
    if (error instanceof TenonError && error.code === 'protocol-version-mismatch') return false;
    throw error;
  }
}
