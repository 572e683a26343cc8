/** Questions of servers where there is no terminal, as text. */
import { escapeControls } from '../../lib/text/control-characters.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import type { CommandResult, Pending, Question } from '../io/command.ts';

/** What is sent to the server: a result, or that the user refuses. */
export type Answer = { readonly result: Fields } | { readonly refusal: string };

export const signInMethod = 'sign-in';

export const questionsFrom = (requests: Readonly<Record<string, InputRequest>>): Question[] =>
  Object.entries(requests).map(([key, { method, params = {} }]) => ({ key, method, params }));

/** The outcome of a command that waits for answers: exit code 5, on standard error. */
export const pendingResult = (pending: Pending): CommandResult => ({
  result: undefined,
  text: shownPending(pending),
  pending,
  exit: 5,
});

function shownPending({ id, questions, expires }: Pending): string {
  const [first] = questions;
  const only = questions.length === 1;
  const asked = questions.map((question) => shownQuestion(question, only));
  const commands = first === undefined ? [] : answerCommands(id, first, only);
  return [...asked, ...commands, `It waits until ${expires}.`].join('\n');
}

export function shownQuestion({ key, method, params }: Question, only: boolean): string {
  const name = only ? '' : ` (${safe(key)})`;
  if (method === signInMethod) {
    const code = params.code === undefined ? '' : ` and enter the code ${safe(params.code)}`;
    return `Sign in${name} at ${safe(params.url)}${code}`;
  }
  if (method === 'sampling/createMessage') return `The server asks for a message of a model${name}:\n${lines(params)}`;
  if (params.mode === 'url') return `The server asks${name}: ${safe(params.message)}\n  open ${safe(params.url)}`;
  return [`The server asks${name}: ${safe(params.message)}`, ...fieldLines(params.requestedSchema)].join('\n');
}

/** The most characters of a question in a list. */
const maxShortChars = 60;

export function shortQuestion(question: Question): string {
  const text = inFewWords(question);
  return text.length <= maxShortChars ? text : `${text.slice(0, maxShortChars - 1)}…`;
}

function inFewWords({ method, params }: Question): string {
  if (method === signInMethod) return params.code === undefined ? 'sign in' : `sign in with ${safe(params.code)}`;
  if (method !== 'sampling/createMessage') return safe(params.message);
  const last = Array.isArray(params.messages) ? (params.messages.at(-1) as Fields | undefined) : undefined;
  const [content] = [last?.content].flat();
  return `a model: ${isRecord(content) ? safe(content.text ?? content.type) : ''}`;
}

function fieldLines(schema: unknown): string[] {
  const { properties, required } = isRecord(schema) ? schema : {};
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, field]) => {
    const { type, enum: values, title, description, default: preset } = isRecord(field) ? field : {};
    const kind = Array.isArray(values) ? values.map(String).join('|') : String(type ?? 'any value');
    const notes = [
      kind,
      ...(needed.has(name) ? ['required'] : []),
      ...(preset === undefined ? [] : [`default ${preset}`]),
    ];
    const about = description ?? title;
    return `  ${safe(name)} (${safe(notes.join(', '))})${about === undefined ? '' : `: ${safe(about)}`}`;
  });
}

function answerCommands(id: string, question: Question, only: boolean): string[] {
  const command = `tenon answer ${id}${only ? '' : ` --question ${question.key}`}`;
  if (question.method === signInMethod) return [`Open the page in a browser, then run: ${command}`];
  const accepting =
    question.method === 'sampling/createMessage'
      ? `${command} text=…`
      : question.params.mode === 'url'
        ? `${command} --accept`
        : [command, ...neededFields(question.params.requestedSchema)].join(' ');
  return [`Answer it with: ${accepting}`, `           or: ${command} --decline`];
}

/** The required fields of an answer, to be filled in. */
function neededFields(schema: unknown): string[] {
  const { required } = isRecord(schema) ? schema : {};
  const names = Array.isArray(required) ? required : [];
  return names.length === 0 ? ['name=value …'] : names.map((name) => `${safe(name)}=…`);
}

const lines = (params: Fields): string =>
  JSON.stringify(params.messages ?? [], null, 2)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');

const safe = (value: unknown): string => escapeControls(String(value ?? ''));
