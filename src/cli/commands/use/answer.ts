/** `tenon answer`: answers what a server asked, and continues the call. */
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { attach } from '../../answers/attach.ts';
import { answerTo, isEmpty, type TypedAnswer } from '../../answers/give-answer.ts';
import {
  answerMs,
  asPending,
  type PendingCall,
  PendingCalls,
  type WaitingRound,
  type WaitingTask,
} from '../../answers/pending-calls.ts';
import { type Answer, pendingResult, shortQuestion, signInMethod } from '../../answers/question.ts';
import { continued } from '../../answers/rounds.ts';
import type { CommandResult, Question, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { checkSaveFolder } from '../../output/save-folder.ts';
import { commandResult, isSignIn, loginResult } from '../../output/shown-result.ts';
import { textTable } from '../../output/table.ts';
import { unknownName, usageError } from '../../usage-error.ts';

export const run: RunCommand = async (given) => {
  const [id, ...words] = given.words;
  const calls = new PendingCalls(given.io);
  if (id === undefined) return listed(await calls.list(), given);
  await checkSaveFolder(given);
  const call = await calls.find(id);
  const typed = { words, json: given.text('args'), action: actionOf(given) };
  const question = questionOf(call, given.text('question'));
  if (!isEmpty(typed)) return send(given, call, question, answerTo(question, typed));
  // The browser may have answered.
  if (question.method === signInMethod) return send(given, call, question, undefined);
  return unanswered(call, question, given);
};

function listed(calls: readonly PendingCall[], { io }: Given): CommandResult {
  const rows = calls.map(({ id, shown, questions: [first] }) => [
    id,
    first === undefined ? '' : shortQuestion(first),
    shown,
  ]);
  return { result: calls.map(asPending), text: rows.length === 0 ? 'Nothing waits.' : textTable(rows, io.columns) };
}

function actionOf(given: Given): TypedAnswer['action'] {
  const [first, second] = (['accept', 'decline', 'cancel'] as const).filter((name) => given.flag(name));
  if (second !== undefined) throw usageError(`--${first} and --${second} exclude each other.`, 'Choose one.');
  return first;
}

/** The one that is named, or the first. */
function questionOf({ questions }: PendingCall, key: string | undefined): Question {
  const found = key === undefined ? questions[0] : questions.find((one) => one.key === key);
  if (found !== undefined) return found;
  const keys = questions.map((one) => one.key);
  throw unknownName('question', key ?? '', keys, `It can be ${keys.join(', ')}.`);
}

/** No answer was typed: a person is asked, a program gets the questions again. */
async function unanswered(call: PendingCall, question: Question, given: Given): Promise<CommandResult> {
  if (!given.io.canAsk) return pendingResult(asPending(call));
  const { answerInTerminal } = await import('../../answers/terminal-answer.ts');
  return send(given, call, question, await answerInTerminal(question, given.io));
}

/** A call with further questions waits again, under the same id. One that cannot continue is deleted. */
async function send(
  given: Given,
  call: PendingCall,
  { key }: Question,
  answer: Answer | undefined,
): Promise<CommandResult> {
  const { io } = given;
  const { id, continuation } = call;
  const calls = new PendingCalls(io);
  try {
    if (continuation.kind !== 'keeper') return await sendRound(given, calls, { ...call, continuation }, key, answer);
    const held = await attach(io, id, continuation.socket, answer === undefined ? {} : { answers: { [key]: answer } });
    if ('pending' in held) return pendingResult(held.pending);
    return isSignIn(held.result) ? loginResult(held.result) : await commandResult(held.result, io, given.text('save'));
  } catch (error) {
    if (error instanceof TenonError && finalErrors.has(error.code)) await calls.delete(id);
    throw error;
  }
}

/** The keeper has ended, the server rejects the request state, or the task no longer exists. */
const finalErrors: ReadonlySet<string> = new Set(['call-not-held', 'invalid-request-state', 'task-not-found']);

async function sendRound(
  given: Given,
  calls: PendingCalls,
  call: PendingCall & { readonly continuation: WaitingRound | WaitingTask },
  key: string,
  answer: Answer | undefined,
): Promise<CommandResult> {
  const { io } = given;
  const { id, continuation } = call;
  if (answer === undefined || 'refusal' in answer) {
    await calls.delete(id);
    throw refused();
  }
  const answers = { ...continuation.answers, [key]: answer.result };
  const left = call.questions.filter((one) => one.key !== key);
  if (left.length > 0)
    return waitAgain(calls, { ...call, questions: left, continuation: { ...continuation, answers } });
  const advanced = await continued(io, { ...continuation, answers });
  if (advanced.kind === 'asked') {
    const { questions, continuation: more } = advanced;
    return waitAgain(calls, {
      ...call,
      questions,
      expires: io.now() + answerMs,
      continuation: { ...more, target: continuation.target },
    });
  }
  await calls.delete(id);
  return commandResult(advanced.result, io, given.text('save'));
}

/** A round has no answer for a refusal: the server is not notified. */
const refused = (): TenonError =>
  new TenonError('cancelled', 'The call has ended: what it asked was refused.', {
    hint: 'Call again to be asked again.',
  });

async function waitAgain(calls: PendingCalls, call: PendingCall): Promise<CommandResult> {
  await calls.write(call);
  return pendingResult(asPending(call));
}
