/** The tools of a script as TypeScript: one function for each, with the types of its arguments and result. */
import type { AgentTool } from '../agents/api.ts';
import { createWork, rootOf } from '../contract/schema/document.ts';
import { createTypeNames } from '../contract/type-names.ts';
import { type Declarations, declareType, documentation, indented, propertyName } from '../contract/type-text.ts';

/** Names that types of TypeScript have. */
const taken = ['Array', 'Record', 'String', 'Number', 'Boolean', 'Object', 'Promise', 'Error', 'ToolError'];

/** Characters of the type of one schema: a server must not fill the description with its own. */
const maxTypeChars = 6000;

/** The declaration of `tools`. */
export function apiText(tools: readonly AgentTool[]): string {
  const names = createTypeNames(taken);
  const declared = new Map<string, string>();
  const known = new Map<string, string>();
  // A schema that takes too long to read must not leave the others without types.
  const lines = tools.map((tool) => functionText(tool, { names, declared, known, work: createWork(maxSteps) }));
  const types = [...declared].map(([name, text]) => `type ${name} = ${text};`);
  return [...types, `declare const tools: {\n${indented(lines.join('\n'))}\n};`].join('\n');
}

/** Parts of the schemas of one tool. */
const maxSteps = 20_000;

function functionText(tool: AgentTool, into: Declarations): string {
  const { name, description, inputSchema, outputSchema } = tool;
  const input = typeOf(inputSchema, 'Record<string, unknown>', into);
  const output = outputSchema === undefined ? 'string' : typeOf(outputSchema, 'unknown', into);
  const required = Array.isArray(inputSchema.required) && inputSchema.required.length > 0;
  return `${documentation({ description })}${propertyName(name)}(args${required ? '' : '?'}: ${input}): Promise<${output}>;`;
}

/** The type itself: only what it refers to has a name. */
function typeOf(schema: object, otherwise: string, into: Declarations): string {
  const before = new Set(into.declared.keys());
  const name = into.names.unique('Value', 'Value');
  declareType(name, rootOf(schema), into);
  const text = into.declared.get(name) ?? otherwise;
  into.declared.delete(name);
  const added = [...into.declared].filter(([one]) => !before.has(one));
  const chars = added.reduce((sum, [, one]) => sum + one.length, text.length);
  if (chars <= maxTypeChars) return text;
  for (const [one] of added) into.declared.delete(one);
  for (const [meaning, one] of into.known) if (!into.declared.has(one)) into.known.delete(meaning);
  return otherwise;
}
