/** Reads a URI template (RFC 6570, all four levels) and refuses a malformed one with the place and a hint. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { encodeReserved } from './encoding.ts';

/** How each operator expands: the table of RFC 6570, appendix A. */
export const operators = {
  '': { first: '', separator: ',', named: false, ifEmpty: '', reserved: false },
  '+': { first: '', separator: ',', named: false, ifEmpty: '', reserved: true },
  '#': { first: '#', separator: ',', named: false, ifEmpty: '', reserved: true },
  '.': { first: '.', separator: '.', named: false, ifEmpty: '', reserved: false },
  '/': { first: '/', separator: '/', named: false, ifEmpty: '', reserved: false },
  ';': { first: ';', separator: ';', named: true, ifEmpty: '', reserved: false },
  '?': { first: '?', separator: '&', named: true, ifEmpty: '=', reserved: false },
  '&': { first: '&', separator: '&', named: true, ifEmpty: '=', reserved: false },
} as const;

/** The operator of an expression: the character after its opening brace, or none. */
export type Operator = keyof typeof operators;

/** A variable of an expression. */
export interface TemplateVariable {
  /** The name of the variable. */
  readonly name: string;
  /** `*` explodes a list or record; a number keeps that many characters of a string. */
  readonly modifier: '' | '*' | number;
}

/** An expression: the text between two braces. */
export interface TemplateExpression {
  /** Where its brace opens in the template's text. */
  readonly at: number;
  /** The operator of RFC 6570, such as `?`; empty for simple expansion. */
  readonly operator: Operator;
  /** The variables of the expression, in order. */
  readonly variables: readonly TemplateVariable[];
}

/** A parsed URI template (RFC 6570). */
export interface UriTemplate {
  /** The text it was parsed from. */
  readonly text: string;
  /** In order; a string is literal text, as it stands in every expansion. */
  readonly parts: readonly (string | TemplateExpression)[];
  /** The names of its variables, each once, in order. */
  readonly names: readonly string[];
}

/**
 * Characters of a URI template, which may come from an untrusted server.
 * @limit server
 * @beyond the definition is rejected
 * @code invalid-definition
 */
export const maxTemplateChars = 4096;

/**
 * Variables of all expressions of a URI template; an expression has at least one.
 * @limit server
 * @beyond the definition is rejected
 * @code invalid-definition
 */
export const maxTemplateVariables = 64;

/** A refusal of a template: what is wrong, at which offset of its text, and how to fix it. */
export function refusal(text: string, at: number, what: string, hint: string): TenonError {
  const template = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return new TenonError('invalid-definition', `The URI template '${template}' at offset ${at}: ${what}.`, {
    hint,
    details: { template, position: at },
  });
}

/** Reads a template; throws `invalid-definition` when it is malformed or over the limits. */
export function parseUriTemplate(text: string): UriTemplate {
  if (text.length > maxTemplateChars) {
    const what = `it is longer than ${maxTemplateChars} characters`;
    throw refusal(text, maxTemplateChars, what, 'Shorten its literal text.');
  }
  const parts: (string | TemplateExpression)[] = [];
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('{', at);
    const end = open === -1 ? text.length : open;
    if (end > at) parts.push(readLiteral(text, at, end));
    at = end;
    if (open === -1) continue;
    const close = text.indexOf('}', open);
    if (close === -1) throw refusal(text, open, 'this expression is not closed', "Close it with '}'.");
    parts.push(readExpression(text, open, close));
    at = close + 1;
  }
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name)));
  if (names.length > maxTemplateVariables) {
    throw refusal(text, text.length, `it has more than ${maxTemplateVariables} variables`, 'Use fewer variables.');
  }
  return { text, parts, names: [...new Set(names)] };
}

/** A stray percent sign, a character that RFC 6570 keeps out of literals, or one outside its ranges. */
const unfit =
  /%(?![\dA-Fa-f]{2})|["<>\\^`{|}]|[^\u{21}-\u{7E}\u{A0}-\u{D7FF}\u{E000}-\u{FDCF}\u{FDF0}-\u{FFEF}\u{10000}-\u{10FFFD}]/u;

function readLiteral(text: string, from: number, to: number): string {
  const literal = text.slice(from, to);
  const found = unfit.exec(literal);
  if (found === null) return encodeReserved(literal);
  const at = from + found.index;
  if (found[0] === '}') throw refusal(text, at, "'}' closes no expression", "Open it with '{', or write '%7D'.");
  const triplet = encodeReserved(found[0]);
  throw refusal(text, at, `literal text may not hold ${JSON.stringify(found[0])}`, `Write it as '${triplet}'.`);
}

const variable = /^((?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*)(?::([1-9]\d{0,3})|(\*))?$/;

function readExpression(text: string, open: number, close: number): TemplateExpression {
  const mark = text.charAt(open + 1);
  if ('=,!@|'.includes(mark)) {
    throw refusal(text, open + 1, `'${mark}' is no operator`, 'Use one of + # . / ; ? & or none.');
  }
  const operator = isOperator(mark) ? mark : '';
  let at = open + 1 + operator.length;
  const variables = text
    .slice(at, close)
    .split(',')
    .map((written) => {
      const read = readVariable(text, at, written);
      at += written.length + 1;
      return read;
    });
  return { at: open, operator, variables };
}

const isOperator = (mark: string): mark is Operator => Object.hasOwn(operators, mark);

function readVariable(text: string, at: number, written: string): TemplateVariable {
  const [, name, prefix, explode] = variable.exec(written) ?? [];
  if (name !== undefined)
    return { name, modifier: prefix === undefined ? (explode === '*' ? '*' : '') : Number(prefix) };
  if (written === '') throw refusal(text, at, 'a variable has no name', 'Name it, or take the expression out.');
  throw refusal(
    text,
    at,
    `${JSON.stringify(written.slice(0, 50))} is no variable`,
    "A name has letters, digits, '_', single dots and %XX; after it ':1' to ':9999' or '*' may stand, not both.",
  );
}
