/** `tenon lock`: compares the servers of a configuration with what was approved, and approves what they have now. */
import { resolve } from 'node:path';
import type { LockStatus } from '../../../host/lock/status.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { createHost } from '../../../node/create-host.ts';
import { type RunAction, runAction } from '../../input/action-word.ts';
import { readJsonWithComments } from '../../input/json-with-comments.ts';
import { readTextFile } from '../../input/read-file.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { printable } from '../../output/content.ts';
import { unknownName, usageError } from '../../usage-error.ts';
import { type ApproveServer, approveStatus, shownStatus } from './approve-status.ts';

const status: RunAction = (given, names) =>
  withStatus(given, names, async (found) => ({ ...shownStatus(found, given), exit: found.matches ? 0 : 1 }));

const approve: RunAction = (given, names) =>
  withStatus(given, names, (found, approveServer) => approveStatus(given, found, approveServer));

export const run: RunCommand = (given) => runAction(given, { status, approve });

async function withStatus(
  given: Given,
  names: readonly string[],
  then: (status: LockStatus, approve: ApproveServer) => Promise<CommandResult>,
): Promise<CommandResult> {
  const { cwd } = given.io;
  const servers = await chosenServers(given, names);
  const host = createHost({
    servers: { mcpServers: servers },
    lock: { path: resolve(cwd, given.text('lock') ?? 'mcp.lock'), includeResources: !given.flag('no-resources') },
    consent: {},
    onWarning: (server, { message }) => given.io.err(`tenon: ${server}: ${message}\n`),
    ...(!given.flag('quiet') && {
      onStderr: (server, line) => given.io.err(`${printable(`${server}: ${line}`, given.io)}\n`),
    }),
  });
  try {
    const all = await host.lockStatus();
    return await then(names.length === 0 ? all : withoutMissing(all), (server) => host.approve(server));
  } finally {
    await host.close();
  }
}

/** Only the named servers count: others are not missing. */
const withoutMissing = (status: LockStatus): LockStatus => ({
  ...status,
  missing: [],
  matches: status.errors.length === 0 && status.servers.every(({ matches }) => matches),
});

async function chosenServers(given: Given, names: readonly string[]): Promise<Record<string, never>> {
  const path = resolve(given.io.cwd, given.text('config') ?? '.mcp.json');
  const hint = 'Pass the file that names the servers: --config FILE.';
  const servers = serversIn(await readTextFile(path, given.io, hint), path);
  for (const name of names)
    if (!Object.hasOwn(servers, name))
      throw unknownName(
        'server',
        name,
        Object.keys(servers),
        `${path} has ${Object.keys(servers).join(', ') || 'none'}.`,
      );
  const chosen = names.length === 0 ? servers : Object.fromEntries(names.map((name) => [name, servers[name]]));
  return chosen as Record<string, never>;
}

function serversIn(text: string, path: string): Record<string, unknown> {
  const read = readJsonWithComments(text);
  if ('problem' in read) throw usageError(`${path} is not JSON: ${read.problem}.`, 'Fix the file.');
  const { value } = read;
  const servers = isRecord(value) ? (value.mcpServers ?? value.servers) : undefined;
  if (isRecord(servers)) return servers;
  throw usageError(`${path} names no servers.`, 'It needs the member mcpServers.');
}
