/** Converts a URI template to the tokens that matching uses, and refuses ambiguous templates. */

import { operators, refusal, type TemplateExpression, type UriTemplate } from './parse.ts';

export type Token =
  | { readonly kind: 'literal'; readonly text: string }
  /** A greedy variable takes any characters; another ends where one of its stops stands. */
  | { readonly kind: 'variable'; readonly name: string; readonly greedy: boolean; readonly at: number }
  | {
      readonly kind: 'query';
      readonly marker: '?' | '&';
      readonly names: ReadonlySet<string>;
      readonly at: number;
    };

const isReserved = (text: string): boolean => /[:/?#[\]@!$&'()*+,;=]/.test(text);

/** The tokens of a template within the subset; throws `invalid-definition` for any other. */
export function lowerTemplate(template: UriTemplate): Token[] {
  const tokens: Token[] = [];
  const seen = new Set<string>();
  for (const part of template.parts) {
    if (typeof part === 'string') {
      addLiteral(tokens, part);
      continue;
    }
    checkExpression(template.text, part, seen);
    addExpression(tokens, part);
  }
  checkOrder(template.text, tokens);
  checkSeparators(template);
  return tokens;
}

/**
 * Refuses `{/a}` and `{a,b}` where a greedy variable could take their place: an unset variable of theirs leaves out its
 * separator too, and a value of `{+p}` may have one. In `x{+p}{/a}` the URI of an unset `a` and of `p` as `y/z` is that
 * of `p` as `y` and `a` as `z`. What stands before `{#p}` ends at its `#`.
 */
function checkSeparators({ text, parts }: UriTemplate): void {
  const expressions = parts.filter((part) => typeof part !== 'string');
  const pivot = expressions.find(({ operator }) => operators[operator].reserved);
  if (pivot === undefined) return;
  for (const { at, operator, variables } of expressions) {
    const leavesOut = operator === '/' || (operator === '' && variables.length > 1);
    if (!leavesOut || (pivot.operator === '#' && at < pivot.at)) continue;
    const names = variables.map(({ name }) => `{${name}}`);
    const written = operator === '/' ? `/${names.join('/')}` : names.join(',');
    const what = `an unset variable leaves out its separator, which '{${pivot.operator}a}' could take`;
    throw refusal(text, at, what, `Write '${written}': a literal separator is never left out.`);
  }
}

function checkExpression(text: string, { at, operator, variables }: TemplateExpression, seen: Set<string>): void {
  if (operator === ';') throw refusal(text, at, "matching does not read '{;a}'", "Use '{?a}' or '/{a}'.");
  for (const { name, modifier } of variables) {
    if (modifier === '*') throw refusal(text, at, `matching does not read lists, so not '${name}*'`, "Drop the '*'.");
    if (modifier !== '') {
      throw refusal(text, at, `'${name}:${modifier}' keeps only a part of the value`, `Drop ':${modifier}'.`);
    }
    if (seen.has(name)) throw refusal(text, at, `the variable '${name}' stands twice`, 'Give each its own name.');
    if (name === '__proto__') throw refusal(text, at, `'${name}' is unsafe as a key`, 'Give it another name.');
    seen.add(name);
  }
}

/** Several variables in one expression read as if each stood alone, with the operator's separator between them. */
function addExpression(tokens: Token[], { at, operator, variables }: TemplateExpression): void {
  if (operator === '?' || operator === '&') {
    tokens.push({ kind: 'query', marker: operator, names: new Set(variables.map(({ name }) => name)), at });
    return;
  }
  const { first, separator, reserved } = operators[operator];
  variables.forEach(({ name }, index) => {
    addLiteral(tokens, index === 0 ? first : separator);
    tokens.push({ kind: 'variable', name, greedy: reserved, at });
  });
}

function addLiteral(tokens: Token[], text: string): void {
  const last = tokens.at(-1);
  if (last?.kind === 'literal') tokens[tokens.length - 1] = { kind: 'literal', text: last.text + text };
  else if (text !== '') tokens.push({ kind: 'literal', text });
}

/** Refuses templates where the end of a variable is ambiguous, or whose query is malformed. */
function checkOrder(text: string, tokens: readonly Token[]): void {
  let literals = '';
  let sinceVariable: string | undefined;
  let greedy = false;
  tokens.forEach((token, index) => {
    const previous = tokens[index - 1];
    if (previous?.kind === 'query') checkAfterQuery(text, previous, token);
    if (token.kind === 'literal') {
      literals += token.text;
      if (sinceVariable !== undefined) sinceVariable += token.text;
    } else if (token.kind === 'query') {
      checkQuery(text, token, greedy, literals);
    } else {
      checkVariable(text, token, greedy, sinceVariable);
      greedy ||= token.greedy;
      sinceVariable = '';
    }
  });
}

type Variable = Extract<Token, { kind: 'variable' }>;
type Query = Extract<Token, { kind: 'query' }>;

function checkVariable(text: string, { name, greedy, at }: Variable, hasGreedy: boolean, between?: string): void {
  if (between !== undefined && !isReserved(between)) {
    throw refusal(
      text,
      at,
      `nothing shows where the variable before '${name}' ends`,
      "Put a reserved character such as '/', ':' or ',' between them ('-', '.', '_' and '~' can be part of a value).",
    );
  }
  if (greedy && hasGreedy) {
    throw refusal(text, at, "a second '{+a}' or '{#a}' could take what the first takes", "Write one of them as '{a}'.");
  }
}

function checkQuery(text: string, { marker, at }: Query, hasGreedy: boolean, before: string): void {
  if (hasGreedy) {
    throw refusal(
      text,
      at,
      "a '{+a}' before the query could take the query too",
      "Write it as '{a}', or drop the query.",
    );
  }
  if (before.includes('#')) {
    throw refusal(text, at, 'the query stands behind the fragment', "Put it before '#'.");
  }
  if (before.includes('?') !== (marker === '&')) {
    const hint = marker === '&' ? "Use '{?a}': no '?' stands before it." : "Use '{&a}': a '?' stands before it.";
    throw refusal(text, at, 'the query would not be a query', hint);
  }
}

function checkAfterQuery(text: string, { at }: Query, next: Token): void {
  if (next.kind === 'literal' && next.text.startsWith('#')) return;
  throw refusal(
    text,
    at,
    'something other than a fragment follows the query',
    'Put it before the query, or inside it.',
  );
}

/**
 * The characters each variable may not hold unencoded: `/ ? #`, the reserved characters that the template itself writes
 * between two of those around the variable, and `&` behind `?`.
 */
export function stopsOf(tokens: readonly Token[]): ReadonlyMap<string, string> {
  const stops = new Map<string, string>();
  let open: string[] = [];
  let marks = new Set<string>();
  const close = (): void => {
    for (const name of open) stops.set(name, `/?#${[...marks].join('')}`);
    open = [];
    marks = new Set();
  };
  for (const token of tokens) {
    if (token.kind === 'variable') open.push(token.name);
    else {
      for (const character of token.kind === 'literal' ? token.text : token.marker) {
        if ('/?#'.includes(character)) close();
        else if (isReserved(character)) marks.add(character);
        if (character === '?') marks.add('&');
      }
    }
  }
  close();
  return stops;
}
