/** Sends the request of a command. Questions of the server are answered by a file, at the terminal, or by `tenon answer`. */
import type { ClientHandlers } from '../../client/answers/handlers.ts';
import type { Client } from '../../client/api/client.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { CommandResult } from '../io/command.ts';
import type { Given } from '../io/given.ts';
import { showProgress } from '../output/progress.ts';
import { checkSaveFolder } from '../output/save-folder.ts';
import { commandResult } from '../output/shown-result.ts';
import { isModule } from '../target/module-target.ts';
import { readConnection, type UrlTarget, urlTargetOf, usingClient, withClient } from '../target/open-client.ts';
import { startHeld } from './attach.ts';
import { answerMs, asPending, newId, PendingCalls, shownCommand } from './pending-calls.ts';
import { pendingResult } from './question.ts';
import { type Advance, advance, declaredHandlers, follow, hasRounds } from './rounds.ts';
import { handlersInFile } from './script-file.ts';
import { perform, type TypedRequest, typedRequests } from './typed-request.ts';

/** `name` is that of the command. */
export async function sendRequest(given: Given, name: string): Promise<CommandResult> {
  await checkSaveFolder(given);
  const file = given.text('answers');
  if (file !== undefined) return scripted(given, name, file);
  // The handlers of a terminal are those of the connection.
  if (given.io.canAsk || given.client !== undefined) return attended(given, name, {}, given.io.signal);
  return unattended(given, name);
}

/** The whole call, in this process. */
async function attended(
  given: Given,
  name: string,
  own: { readonly handlers?: ClientHandlers },
  signal: AbortSignal,
): Promise<CommandResult> {
  const { io, words } = given;
  const { handlers } = own;
  const result = await withClient(
    given,
    async (client) => {
      const request = await typedRequest(client, given, name);
      const progress = showProgress(io, words[0] ?? name);
      try {
        return await perform(client, request, {
          signal,
          onProgress: (update) => progress.report(update),
          // In `repl` the connection has handlers of its own.
          ...(handlers !== undefined && given.client !== undefined && { answers: handlers }),
        });
      } finally {
        progress.end();
      }
    },
    own,
  );
  return commandResult(result, io, given.text('save'));
}

/** A question that the file has no answer to ends the call. */
async function scripted(given: Given, name: string, file: string): Promise<CommandResult> {
  const stop = new AbortController();
  let missing: TenonError | undefined;
  const handlers = await handlersInFile(file, given.io.cwd, (error) => {
    missing ??= error;
    stop.abort(error);
  });
  const signal = AbortSignal.any([given.io.signal, stop.signal]);
  return attended(given, name, { handlers }, signal).catch((error: unknown) => {
    throw missing ?? error;
  });
}

/**
 * A call at a URL without a session can be continued by any process: its state is stored. Any other call needs the
 * process with the connection or the server: a keeper, which outlives this command.
 */
async function unattended(given: Given, name: string): Promise<CommandResult> {
  const { io } = given;
  const connection = given.target !== undefined && isModule(given.target) ? undefined : await readConnection(given);
  const target = connection && urlTargetOf(connection);
  if (connection !== undefined && target !== undefined) {
    const sent = await usingClient(
      io,
      connection,
      async (client) => (hasRounds(client) ? sendRound(client, given, name) : undefined),
      { handlers: declaredHandlers },
    );
    if (sent !== undefined) return continuedLater(given, target, sent);
  }
  const input = given.text('args') === '-' ? await io.readInput() : undefined;
  const held = await startHeld(io, given.typed, input);
  return 'pending' in held ? pendingResult(held.pending) : commandResult(held.result, io, given.text('save'));
}

async function sendRound(client: Client, given: Given, name: string): Promise<Advance> {
  const request = await typedRequest(client, given, name);
  if (request.kind === 'task') return follow(client, given.io, request.taskId, []);
  return advance(client, given.io, { ...request, answers: {} });
}

const typedRequest = (client: Client, given: Given, name: string): Promise<TypedRequest> =>
  (typedRequests[name] as (typeof typedRequests)[string])(client, given);

/** Stores what another process needs to continue. */
async function continuedLater(given: Given, target: UrlTarget, advanced: Advance): Promise<CommandResult> {
  const { io } = given;
  if (advanced.kind === 'done') return commandResult(advanced.result, io, given.text('save'));
  const { questions, continuation } = advanced;
  const call = {
    id: newId(),
    shown: shownCommand(given.typed),
    expires: io.now() + answerMs,
    questions,
    continuation: { ...continuation, target },
  };
  await new PendingCalls(io).write(call);
  return pendingResult(asPending(call));
}
