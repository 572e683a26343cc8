/** Scripted handlers for tests: answers in order, or by the message of the request. */
import type { ClientHandlers } from '../client/answers/handlers.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import type { CreateMessageResult, ElicitResult, Root } from '../protocol/generated/types/records.ts';

/** The content of an accepted form, or the action of a user who does not accept. */
export type FormAnswer = 'decline' | 'cancel' | NonNullable<ElicitResult['content']>;
/** The action of a user who is shown a URL. */
export type UrlAnswer = ElicitResult['action'];
/** The text of the model, or a whole result. */
export type SampleAnswer = string | CreateMessageResult;

/**
 * Scripted answers to server requests, by the names of `ClientHandlers`. The client declares the capabilities that are
 * scripted. A request without an answer closes the connection.
 */
export interface ScriptedHandlers {
  /** The answers to forms: a list in order, or an object by the message of the form. */
  readonly elicitForm?: readonly FormAnswer[] | Readonly<Record<string, FormAnswer>>;
  /** The answers to URL elicitations: a list in order, or an object by the message. */
  readonly elicitUrl?: readonly UrlAnswer[] | Readonly<Record<string, UrlAnswer>>;
  /** The answers to sampling requests, in order. */
  readonly sample?: readonly SampleAnswer[];
  /** The roots of the client. */
  readonly roots?: readonly Root[];
}

/** Plays a script once. `onUnscripted` is called for a request without an answer. */
export function playScript(script: ScriptedHandlers, onUnscripted: (error: TenonError) => void): ClientHandlers {
  const missing = (what: string): never => {
    const error = new TenonError('server-request-failed', `The option "handlers" has no answer to ${what}.`, {
      hint: 'Add one, or check why the server requests this.',
    });
    onUnscripted(error);
    throw error;
  };
  const { elicitForm, elicitUrl, sample, roots } = script;
  const forms = elicitForm && answersFrom(elicitForm);
  const urls = elicitUrl && answersFrom(elicitUrl);
  const samples = sample && answersFrom(sample);
  return {
    ...(forms && {
      elicitForm: ({ message }) => formResult(forms(message) ?? missing(`the form ${JSON.stringify(message)}`)),
    }),
    ...(urls && {
      elicitUrl: ({ message }) => ({
        action: urls(message) ?? missing(`the URL elicitation ${JSON.stringify(message)}`),
      }),
    }),
    ...(samples && { sample: () => sampleResult(samples('') ?? missing('a sampling request')), samplingTools: true }),
    ...(roots && { roots }),
  };
}

/** The next answer of a list, or the answer to a message. */
function answersFrom<A>(written: readonly A[] | Readonly<Record<string, A>>): (message: string) => A | undefined {
  if (!isList(written)) return (message) => (Object.hasOwn(written, message) ? written[message] : undefined);
  const left = [...written];
  return () => left.shift();
}

const isList = <A>(written: readonly A[] | Readonly<Record<string, A>>): written is readonly A[] =>
  Array.isArray(written);

const formResult = (answer: FormAnswer): ElicitResult =>
  typeof answer === 'string' ? { action: answer } : { action: 'accept', content: answer };

const sampleResult = (answer: SampleAnswer): CreateMessageResult =>
  typeof answer === 'string'
    ? { role: 'assistant', model: 'scripted', content: { type: 'text', text: answer } }
    : answer;
