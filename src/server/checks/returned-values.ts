/** The errors for values that a handler returned and that cannot be sent. They go to `onError`, and never have the value. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import { typeNameOf } from './definition-error.ts';

const unusable = (place: string, problem: string, hint: string): TenonError =>
  new TenonError('invalid-outgoing-message', `${place}: ${problem}.`, { hint, details: { place } });

/** Whether the error is about what a handler returned: it has nothing of the value. */
export const isReturnedValue = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'invalid-outgoing-message' && error.details.place !== undefined;

const holdsList = (value: unknown, field: string): boolean => isRecord(value) && Array.isArray(value[field]);

const wholeResult = "Wrap it in toolResult(…), as in return toolResult({ content: [{ type: 'text', text: '…' }] }).";

/** For a tool without `outputSchema`. */
export function notToolResult(place: string, value: unknown): TenonError {
  if (holdsList(value, 'content')) return unusable(place, 'the handler returned an object with content', wholeResult);
  const returned = `the handler returned ${typeNameOf(value)}`;
  if (Array.isArray(value))
    return unusable(place, returned, 'Return content(…blocks), or add outputSchema for structured values.');
  if (isRecord(value))
    return unusable(
      place,
      returned,
      'Add outputSchema for structured values, or return a string, content(…) or toolResult(…).',
    );
  return unusable(place, returned, 'Return a string, content(…) or toolResult(…).');
}

/** For a tool with `outputSchema`. `issues` says what is wrong with the value. */
export const notOutput = (place: string, value: unknown, issues: string): TenonError =>
  unusable(
    place,
    `the returned value does not match outputSchema: ${issues}`,
    holdsList(value, 'content')
      ? wholeResult
      : 'Return the structured value itself, or toolResult({ content, isError: true }) for a failure.',
  );

export function notPrompt(place: string, value: unknown): TenonError {
  if (holdsList(value, 'messages'))
    return unusable(
      place,
      'the handler returned an object with messages',
      'Wrap it in promptResult(…), as in return promptResult({ messages }).',
    );
  return unusable(
    place,
    `the handler returned ${typeNameOf(value)}`,
    'Return a string, a list of messages or promptResult(…).',
  );
}

export function notContents(place: string, value: unknown): TenonError {
  if (holdsList(value, 'contents'))
    return unusable(
      place,
      'the handler returned an object with contents',
      "Return the list of parts itself, as in return [{ text: '…' }].",
    );
  return unusable(
    place,
    `the handler returned ${typeNameOf(value)}`,
    'Return a string, a Uint8Array or a list of parts.',
  );
}

export const notListed = (place: string, problem: string): TenonError =>
  unusable(`${place}.list`, problem, 'Return a list of URIs that match the template, or of objects with such a uri.');
