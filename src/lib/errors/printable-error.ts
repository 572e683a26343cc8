/** Errors of handlers as they are printed: their messages may quote what the other side sent. */
import { escapeInLines, indentLines } from '../text/control-characters.ts';

const maxCauses = 5;

/**
 * The error itself, which the console formats; or its escaped text, if a message in it could control a terminal or
 * forge a line of a log.
 */
export function printable(error: unknown): unknown {
  if (typeof error === 'string') return indentLines(error);
  return chainOf(error).every(({ message }) => isPlain(message)) ? error : textOf(error);
}

const isPlain = (message: unknown): boolean => typeof message !== 'string' || escapeInLines(message) === message;

/** The error and its causes; empty if the value is not an error. */
export function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < maxCauses; at = at.cause) chain.push(at);
  return chain;
}

const textOf = (error: unknown): string =>
  chainOf(error)
    .map(({ name, message, stack = '' }) => {
      const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
      return escapeInLines([`${name}: ${indentLines(message)}`, ...frames].join('\n'));
    })
    .join('\n  caused by ');
