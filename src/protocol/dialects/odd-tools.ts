/** Tools of a list that are not valid: they are left out, and remembered for a warning. One of them must not hide the others. */
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Check } from '../model/primitives.ts';

/** A tool that was left out. */
export interface OddTool {
  /** Its name, or its place in the list. */
  readonly name: string;
  /** What is wrong with it. */
  readonly problem: string;
}

/**
 * Invalid tools of one page that are named in warnings and errors.
 * @limit client
 * @beyond the others are left out, too, without a warning
 */
const maxNamed = 100;

const oddTools = new WeakMap<object, readonly OddTool[]>();

/** The tools that a corrected page does not have. Usually empty. */
export const oddToolsIn = (page: object): readonly OddTool[] => oddTools.get(page) ?? [];

/** The page without its invalid tools; `undefined` if the rest is not valid either. */
export function readToolList(page: unknown, check: Check): Fields | undefined {
  if (!isRecord(page) || !Array.isArray(page.tools)) return undefined;
  if (!check({ ...page, tools: [] })) return undefined;
  // One page for all tools, without what is checked already: a copy for each would take the size of the page for each.
  const alone: Fields = { ...page };
  delete alone._meta;
  const odd: OddTool[] = [];
  const tools = page.tools.filter((tool: unknown, n) => {
    alone.tools = [tool];
    const isValid = check(alone);
    if (!isValid && odd.length < maxNamed) odd.push({ name: nameOf(tool, n), problem: problemOf(tool) });
    return isValid;
  });
  const corrected = { ...page, tools };
  oddTools.set(corrected, odd);
  return corrected;
}

const nameOf = (tool: unknown, n: number): string =>
  isRecord(tool) && typeof tool.name === 'string' ? tool.name : `tools[${n}]`;

/** Schemas are what is wrong most often: for them the reason is named. */
function problemOf(tool: unknown): string {
  if (!isRecord(tool)) return 'it is not an object';
  if (typeof tool.name !== 'string') return 'it has no name';
  const { inputSchema } = tool;
  if (!isRecord(inputSchema)) return 'its inputSchema is not an object';
  if (inputSchema.type !== 'object') return 'its inputSchema does not have the type "object"';
  return 'its definition does not match the protocol';
}
