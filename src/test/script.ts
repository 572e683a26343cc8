/** Scripted handlers for tests: answers in order, or by the message of the request. */
import type { ClientHandlers, ElicitFormRequest, ElicitFormResult } from '../client/answers/handlers.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Rule } from '../lib/options/option-rules.ts';
import { isRecord } from '../lib/values/is.ts';
import type { CreateMessageResult, ElicitResult, Root } from '../protocol/generated/types/records.ts';

/** The fields of an accepted form, the action of a user who does not accept, or a whole result. */
export type FormAnswer = 'decline' | 'cancel' | NonNullable<ElicitFormResult['content']> | ElicitFormResult;
/** The action of a user who is shown a URL, or a whole result. */
export type UrlAnswer = ElicitResult['action'] | { readonly action: ElicitResult['action'] };
/** The text of the model, or a whole result. */
export type SampleAnswer = string | CreateMessageResult;

/**
 * Scripted answers to server requests, by the names of `ClientHandlers`. The client declares the capabilities that are
 * scripted. A request without an answer closes the connection.
 * @area client
 */
export interface ScriptedHandlers {
  /**
   * The answers to forms: a list in order, or an object by the message of the form.
   * @default off
   * @rule scriptedForms
   */
  readonly elicitForm?: readonly FormAnswer[] | Readonly<Record<string, FormAnswer>>;
  /**
   * The answers to URL elicitations: a list in order, or an object by the message.
   * @default off
   * @rule scriptedUrls
   */
  readonly elicitUrl?: readonly UrlAnswer[] | Readonly<Record<string, UrlAnswer>>;
  /**
   * The answers to sampling requests, in order.
   * @default off
   * @rule scriptedSamples
   */
  readonly sample?: readonly SampleAnswer[];
  /**
   * The roots of the client.
   * @default off
   * @rule scriptedRoots
   */
  readonly roots?: readonly Root[];
}

const actions: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);
const isAction = (value: unknown): boolean => actions.has(value);

const isFormAnswer = (value: unknown): boolean => value === 'decline' || value === 'cancel' || isRecord(value);
const isUrlAnswer = (value: unknown): boolean => isAction(isRecord(value) ? value.action : value);
const isSampleAnswer = (value: unknown): boolean => typeof value === 'string' || isRecord(value);

const listOf = (fits: (value: unknown) => boolean, value: unknown): boolean =>
  Array.isArray(value) && value.every(fits);
const listOrByMessage = (fits: (value: unknown) => boolean, answers: string): Rule => ({
  holds: (value) => listOf(fits, value) || (isRecord(value) && Object.values(value).every(fits)),
  must: `be a list of answers, or an object of answers by the message of the request. An answer is ${answers}`,
});

export const scriptedForms: Rule = listOrByMessage(
  isFormAnswer,
  "an object of fields, 'decline', 'cancel' or { action, content }",
);

export const scriptedUrls: Rule = listOrByMessage(isUrlAnswer, "'accept', 'decline' or 'cancel'");

export const scriptedSamples: Rule = {
  holds: (value) => listOf(isSampleAnswer, value),
  must: 'be a list of answers. An answer is the text of the model, or a whole result { model, role, content }',
};

export const scriptedRoots: Rule = {
  holds: (value) => listOf(isRecord, value),
  must: "be a list such as [{ uri: 'file:///home/me/project' }]",
};

/** Plays a script once. `onUnscripted` is called for a request without an answer; `place` names the script. */
export function playScript(
  script: ScriptedHandlers,
  onUnscripted: (error: TenonError) => void,
  place = 'The option "handlers"',
): ClientHandlers {
  const missing = (what: string): never => {
    const error = new TenonError('server-request-failed', `${place} has no answer to ${what}.`, {
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
      elicitForm: (form) =>
        formResult(forms(form.message) ?? missing(`the form ${JSON.stringify(form.message)}`), form),
    }),
    ...(urls && {
      elicitUrl: ({ message }) => urlResult(urls(message) ?? missing(`the URL elicitation ${JSON.stringify(message)}`)),
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

function formResult(answer: FormAnswer, form: ElicitFormRequest): ElicitFormResult {
  if (typeof answer === 'string') return { action: answer };
  return isWholeResult(answer, form) ? answer : { action: 'accept', content: answer as ElicitFormResult['content'] };
}

/** No field has an object as its value, so `content` marks a whole result; an action alone may be a field of the form. */
function isWholeResult(answer: object, { requestedSchema }: ElicitFormRequest): answer is ElicitFormResult {
  const { action, content, ...more } = answer as Record<string, unknown>;
  if (!isAction(action) || Object.keys(more).length > 0) return false;
  return isRecord(content) || (content === undefined && !Object.hasOwn(requestedSchema.properties, 'action'));
}

const urlResult = (answer: UrlAnswer): { action: ElicitResult['action'] } =>
  typeof answer === 'string' ? { action: answer } : { action: answer.action };

const sampleResult = (answer: SampleAnswer): CreateMessageResult =>
  typeof answer === 'string'
    ? { role: 'assistant', model: 'scripted', content: { type: 'text', text: answer } }
    : answer;
