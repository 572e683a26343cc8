/** `tenon login`: signs in to a server, for all later commands. */
import { startHeld } from '../../answers/attach.ts';
import { pendingResult } from '../../answers/question.ts';
import { signIn } from '../../answers/sign-in.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import { loginResult } from '../../output/shown-result.ts';
import type { SignInPage } from '../../target/pending-sign-in.ts';

export const run: RunCommand = async (given): Promise<CommandResult> => {
  const { io } = given;
  if (io.canAsk) return loginResult(await signIn(given, true, (page) => io.err(`${shown(page)}\n`)));
  // The redirect of the browser arrives after this command has ended: a keeper receives it.
  const held = await startHeld(io, given.typed, undefined);
  return 'pending' in held ? pendingResult(held.pending) : loginResult(held.result);
};

const shown = ({ url, code }: SignInPage): string =>
  `Sign in at:\n  ${url}${code === undefined ? '' : `\nand enter the code ${code}`}`;
