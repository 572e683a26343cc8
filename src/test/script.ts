/** Scripted answers for tests: taken in order, or by the message of the request. */
import type { ClientHandlers } from '../client/answers/handlers.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import type { CreateMessageResult, ElicitResult, Root } from '../protocol/generated/types/records.ts';

/** What the user fills in, or that the user does not. */
export type FormAnswer = 'decline' | 'cancel' | NonNullable<ElicitResult['content']>;
export type UrlAnswer = ElicitResult['action'];
/** What the model says, or a whole result. */
export type SampleAnswer = string | CreateMessageResult;

/** What is named here the client declares. What is asked beyond what is written ends the connection. */
export interface ScriptedHandlers {
  /** In order, or by the message of the form. */
  readonly form?: readonly FormAnswer[] | Readonly<Record<string, FormAnswer>>;
  readonly url?: readonly UrlAnswer[] | Readonly<Record<string, UrlAnswer>>;
  readonly sample?: readonly SampleAnswer[];
  readonly roots?: readonly Root[];
}

/** Plays a script once. `onUnscripted` is called for a request without an answer. */
export function playScript(script: ScriptedHandlers, onUnscripted: (error: TenonError) => void): ClientHandlers {
  const missing = (what: string): never => {
    const error = new TenonError('server-request-failed', `The script has no answer to ${what}.`, {
      hint: 'Add one to it, or find out why this is asked.',
    });
    onUnscripted(error);
    throw error;
  };
  const { form, url, sample, roots } = script;
  const forms = form && answersFrom(form);
  const urls = url && answersFrom(url);
  const samples = sample && answersFrom(sample);
  return {
    ...(forms && {
      elicitForm: ({ message }) => formResult(forms(message) ?? missing(`the form ${JSON.stringify(message)}`)),
    }),
    ...(urls && {
      elicitUrl: ({ message }) => ({ action: urls(message) ?? missing(`the page ${JSON.stringify(message)}`) }),
    }),
    ...(samples && { sample: () => sampleResult(samples('') ?? missing('a request to sample')), samplingTools: true }),
    ...(roots && { roots }),
  };
}

/** The next answer, whichever way they are written. */
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
