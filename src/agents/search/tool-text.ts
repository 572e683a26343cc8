/** What the search reads of a tool, and the words of each of its fields. */
import { isRecord } from '../../lib/values/is.ts';
import { wordsOf } from './words.ts';

/** The texts of a tool. */
export interface ToolText {
  /** Its name, by which a model calls it. */
  readonly name: string;
  /** Its title for people. */
  readonly title?: string | undefined;
  /** The name of its server. */
  readonly server?: string | undefined;
  /** What it does, as its server describes it. */
  readonly description?: string | undefined;
  /** The JSON Schema of its arguments. */
  readonly inputSchema?: object | undefined;
}

/** How much a field counts, and how many words it usually has: longer ones count less for each word. */
export const fields = {
  name: { weight: 3, usual: 3 },
  title: { weight: 2, usual: 3 },
  server: { weight: 1.5, usual: 1 },
  description: { weight: 1, usual: 15 },
  arguments: { weight: 0.7, usual: 6 },
  argumentTexts: { weight: 0.4, usual: 40 },
} as const;

export type Field = keyof typeof fields;

/** Arguments of one tool that are searched, and how deep. */
const maxArguments = 200;
const maxDepth = 3;

export function fieldWords(tool: ToolText): Readonly<Record<Field, readonly string[]>> {
  const names: string[] = [];
  const texts: string[] = [];
  collectArguments(tool.inputSchema, 0, names, texts);
  return {
    name: wordsOf(ownName(tool)),
    title: wordsOf(tool.title ?? ''),
    server: wordsOf(tool.server ?? ''),
    description: wordsOf(tool.description ?? ''),
    arguments: wordsOf(names.join(' ')),
    argumentTexts: wordsOf(texts.join(' ')),
  };
}

/** The name without that of its server, which is a field of its own. */
const ownName = ({ name, server }: ToolText): string =>
  server !== undefined && name.startsWith(`${server}__`) ? name.slice(server.length + 2) : name;

function collectArguments(schema: unknown, depth: number, names: string[], texts: string[]): void {
  if (!isRecord(schema) || depth > maxDepth) return;
  if (isRecord(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (names.length >= maxArguments) return;
      names.push(name);
      if (isRecord(property) && typeof property.description === 'string') texts.push(property.description);
      collectArguments(property, depth + 1, names, texts);
    }
  }
  collectArguments(schema.items, depth + 1, names, texts);
}
