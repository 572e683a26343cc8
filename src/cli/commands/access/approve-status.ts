/** Shows how servers differ from what was approved, and approves it if the user wants that. */
import type { LockStatus, ServerLockStatus } from '../../../host/lock/status.ts';
import type { CommandResult } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { printable } from '../../output/content.ts';

export type ApproveServer = (server: ServerLockStatus) => Promise<void>;

export async function approveStatus(
  given: Given,
  found: LockStatus,
  approveServer: ApproveServer,
): Promise<CommandResult> {
  const changed = found.servers.filter(({ matches }) => !matches);
  const { result, text } = shownStatus(found, given);
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
}

/** On a terminal the user reads what changed, and decides. */
async function isWanted({ io }: Given, text: string): Promise<boolean> {
  if (!io.canAsk) return false;
  io.prompts.note(text);
  return io.prompts.confirm({ message: 'Approve this?', initial: false, signal: io.signal });
}

function withoutDefinitions(status: ServerLockStatus): Omit<ServerLockStatus, 'seen'> {
  const { seen: _, ...rest } = status;
  return rest;
}

/** What a status has without the definitions themselves, which the lock file holds. */
export function shownStatus(
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
