/** The answer to a question, from what was typed after `tenon answer ID`. */

import type { Fields } from '../../lib/values/is.ts';
import { formProblem, withFormDefaults } from '../../protocol/form.ts';
import type { RequestedSchema } from '../../protocol/generated/types/records.ts';
import { callArguments } from '../input/call-arguments.ts';
import type { Question } from '../io/command.ts';
import { usageError } from '../usage-error.ts';
import { type Answer, signInMethod } from './question.ts';

/** What was typed. `action` is that of `--accept`, `--decline` and `--cancel`. */
export interface TypedAnswer {
  readonly words: readonly string[];
  readonly json: string | undefined;
  readonly action: 'accept' | 'decline' | 'cancel' | undefined;
}

export const isEmpty = ({ words, json, action }: TypedAnswer): boolean =>
  words.length === 0 && json === undefined && action === undefined;

/** Throws before anything is sent if the answer does not fit the question. */
export function answerTo({ method, params }: Question, typed: TypedAnswer): Answer {
  const isRefused = typed.action === 'decline' || typed.action === 'cancel';
  if (isRefused && (typed.words.length > 0 || typed.json !== undefined))
    throw usageError(`--${typed.action} takes no fields.`, 'Leave them out.');
  if (method === signInMethod) return signInAnswer(isRefused);
  if (method === 'sampling/createMessage') return isRefused ? { refusal: rejected } : { result: message(typed) };
  if (isRefused) return { result: { action: typed.action } };
  if (params.mode === 'url') {
    if (typed.words.length > 0 || typed.json !== undefined)
      throw usageError('A URL has no fields.', 'Open it, then answer with --accept.');
    return { result: { action: 'accept' } };
  }
  return { result: { action: 'accept', content: content(params.requestedSchema as RequestedSchema, typed) } };
}

/** The page itself is answered in a browser. */
function signInAnswer(isRefused: boolean): Answer {
  if (isRefused) return { refusal: 'The sign-in was cancelled' };
  throw usageError('A sign-in is answered in a browser.', 'Open its page, or write --cancel.');
}

const rejected = 'The user rejected the sampling request';

function content(schema: RequestedSchema, typed: TypedAnswer): Fields {
  const filled = withFormDefaults(schema, callArguments(typed, schema));
  const problem = formProblem(schema, filled);
  if (problem === undefined) return filled;
  throw usageError(
    `The answer does not fit the form: ${problem.replace(/\.?$/, '.')}`,
    'tenon answer shows its fields.',
  );
}

/** `text=…`, or a whole result as JSON. */
function message(typed: TypedAnswer): Fields {
  const { text, ...more } = callArguments(typed, { properties: { text: { type: 'string' } } });
  if (typeof text === 'string' && text !== '')
    return { role: 'assistant', model: 'user', content: { type: 'text', text }, ...more };
  if (more.content !== undefined) return { role: 'assistant', model: 'user', ...more };
  throw usageError('The answer has no message.', 'Write text=…, or {"role": …, "model": …, "content": …}.');
}
