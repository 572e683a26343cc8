/** Answers a call of `find_tools`: the tools that fit, with the first words of their descriptions. */
import { isTexts } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import { estimateTokens } from '../search/tokens.ts';
import type { ToolText } from '../search/tool-text.ts';

/** Finds tools by a request, instead of the built-in ranking: names, the best first. */
export type ToolRanker = (query: string, tools: readonly ToolText[], limit: number) => MaybePromise<readonly string[]>;

export interface FindPorts {
  readonly tools: ReadonlyMap<string, ToolText>;
  search(query: string, limit: number): MaybePromise<readonly string[]>;
  /** Whether the answer has the schemas of arguments, for models that call by `call_tool`. */
  readonly withSchemas: boolean;
}

/** What the model gets, and the names of what was found. */
export interface FindAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly found: readonly string[];
}

/** Tools of an answer, unless the model wants more. */
const defaultLimit = 8;
const maxLimit = 20;
const maxQueryChars = 1000;

/** Names of one request: each that is not a full name is compared with all tools. */
const maxNames = 100;

const maxDescriptionChars = 200;

/**
 * Tokens of one answer of `find_tools` that has schemas.
 * @limit agents
 * @beyond the other tools are only named
 */
export const maxAnswerTokens = 4000;

export async function findTools(args: unknown, ports: FindPorts): Promise<FindAnswer> {
  const { query, names: given, limit = defaultLimit }: Readonly<Record<string, unknown>> = isRecord(args) ? args : {};
  const wanted = typeof given === 'string' ? [given] : (given ?? undefined);
  if (wanted !== undefined && !isTexts(wanted)) return wrong('names must be a list of names');
  if (query !== undefined && query !== null && typeof query !== 'string') return wrong('query must be a text');
  const count = typeof limit === 'number' && limit >= 1 ? Math.min(Math.floor(limit), maxLimit) : defaultLimit;
  const text = (query ?? '').trim().slice(0, maxQueryChars);
  if (text === '' && wanted === undefined) return wrong('a query or names are missing');
  const names = ((wanted ?? []) as readonly string[]).slice(0, maxNames);
  const named = names.flatMap((name) => fullNames(name, ports.tools));
  const searched = text === '' ? [] : await ports.search(text, count);
  const found = [...new Set([...named, ...searched.filter((name) => ports.tools.has(name))])].slice(0, maxLimit);
  if (found.length === 0) return { isError: false, text: nothing, found };
  return { isError: false, text: describe(found, ports), found };
}

const nothing =
  'No tool fits. Try other words, such as a verb and a thing, or names from the directory in the description of this tool.';

const wrong = (problem: string): FindAnswer => ({
  isError: true,
  text: `The argument is not valid: ${problem}. Write find_tools({ query: "create an issue" }).`,
  found: [],
});

/** A name as in the directory may lack its server; several servers may have it. */
function fullNames(name: string, tools: FindPorts['tools']): readonly string[] {
  if (tools.has(name)) return [name];
  return [...tools.keys()].filter((one) => one.endsWith(`__${name}`));
}

function describe(found: readonly string[], { tools, withSchemas }: FindPorts): string {
  const lines: string[] = [];
  let tokens = 0;
  const onlyNamed: string[] = [];
  for (const name of found) {
    const line = lineOf(tools.get(name) as ToolText, withSchemas);
    tokens += estimateTokens(line);
    if (tokens > maxAnswerTokens && lines.length > 0) onlyNamed.push(name);
    else lines.push(line);
  }
  const more = onlyNamed.length === 0 ? [] : [`Also: ${onlyNamed.join(', ')}. Pass one of them in names to see it.`];
  return [...lines, ...more].join('\n');
}

function lineOf({ name, description = '', inputSchema }: ToolText, withSchema: boolean): string {
  const [start = ''] = description.trim().split(/\n|(?<=[.!?])\s/);
  const short = start.length > maxDescriptionChars ? `${start.slice(0, maxDescriptionChars)}…` : start;
  const schema = withSchema ? `\n  arguments: ${JSON.stringify(inputSchema ?? {})}` : '';
  return `${name}${short === '' ? '' : `: ${short}`}${schema}`;
}
