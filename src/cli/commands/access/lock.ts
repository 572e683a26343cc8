/** `tenon lock`: compares the servers of a configuration with what was approved, and approves what they have now. */
import { resolve } from 'node:path';
import type { LockStatus, ServerLockStatus } from '../../../host/lock/status.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { createHost } from '../../../node/create-host.ts';
import { type RunAction, runAction } from '../../input/action-word.ts';
import { readJsonWithComments } from '../../input/json-with-comments.ts';
import { readTextFile } from '../../input/read-file.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { printable } from '../../output/content.ts';
import { unknownName, usageError } from '../../usage-error.ts';

type ApproveServer = (server: ServerLockStatus) => Promise<void>;

const status: RunAction = (given, names) =>
  withStatus(given, names, async (found) => ({ ...shown(found, given), exit: found.matches ? 0 : 1 }));

const approve: RunAction = (given, names) =>
  withStatus(given, names, async (found, approveServer) => {
    const changed = found.servers.filter(({ matches }) => !matches);
    const { result, text } = shown(found, given);
    // A server that cannot be listed is not approved: then the command fails.
    const exit = found.errors.length === 0 ? 0 : 1;
    if (changed.length === 0) return { result: { ...result, approved: [] }, text, exit };
    if (!(given.flag('yes') || (await isWanted(given, text))))
      return {
        result: { ...result, approved: [] },
        text: `${text}\n\nNothing was approved: add --yes after you have read it.`,
        exit: 1,
      };
    for (const server of changed) await approveServer(server);
    const approved = changed.map(({ server }) => server);
    return {
      result: { ...result, approved },
      text: `${text}\n\nApproved: ${printable(approved.join(', '), given.io)}.`,
      exit,
    };
  });

/** On a terminal the user reads what changed, and decides. */
async function isWanted({ io }: Given, text: string): Promise<boolean> {
  if (!io.canAsk) return false;
  io.prompts.note(text);
  return io.prompts.confirm({ message: 'Approve this?', initial: false, signal: io.signal });
}

export const run: RunCommand = (given) => runAction(given, { status, approve });

function withoutDefinitions(status: ServerLockStatus): Omit<ServerLockStatus, 'seen'> {
  const { seen: _, ...rest } = status;
  return rest;
}

/** What a status has without the definitions themselves, which the lock file holds. */
function shown(
  { matches, servers, missing, errors, text }: LockStatus,
  { io }: Given,
): { result: object; text: string } {
  const listed = servers.map(withoutDefinitions);
  const failed = errors.map(({ server, error }) => ({ server, message: error.message }));
  return {
    result: { matches, servers: listed, missing, errors: failed },
    text: printable(matches ? 'Everything is as approved.' : text, io),
  };
}

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
