/** A TypeScript module for the clients of a server: its types, and its contract. */
import { escapeControls } from '../lib/text/control-characters.ts';
import { readableJson } from '../lib/text/readable-json.ts';
import type { Prompt, Tool } from '../protocol/generated/types/records.ts';
import { createWork, rootOf } from './schema/document.ts';
import type { ServerSnapshot } from './snapshot.ts';
import { createTypeNames } from './type-names.ts';
import { type Declarations, declareType, documentation, inCode, indented, propertyName } from './type-text.ts';

/** Names that the module imports, or that types of TypeScript have. */
const taken = ['Schema', 'Contract', 'Array', 'Record', 'String', 'Number', 'Boolean', 'Object'];

/**
 * The text of a module with the types of the tools and prompts of a server, and a `contract` for `connect`.
 *
 * @example
 * ```ts
 * const client = await connect('https://example.com/mcp');
 * await writeFile('weather.ts', generateTypes(await takeSnapshot(client)));
 * ```
 */
export function generateTypes(snapshot: ServerSnapshot): string {
  const { serverInfo, tools, prompts } = snapshot;
  const names = createTypeNames(taken);
  const into: Declarations = { names, declared: new Map(), known: new Map(), work: createWork() };
  const server = names.unique(serverInfo?.name ?? '', 'Server');
  const shown = inComment(`${serverInfo?.name ?? 'a server'} ${serverInfo?.version ?? ''}`.trim());
  const toolLines = tools.map((tool) => toolLine(tool, into));
  const promptLines = prompts.map((prompt) => promptLine(prompt, into));
  return [
    `/** The types of ${shown}, written by \`tenon types\`. Changes are lost when it is run again. */`,
    "import type { Schema } from 'tenon';",
    "import type { Contract } from 'tenon/client';",
    "import { createContract } from 'tenon/contract';",
    '',
    ...[...into.declared].flatMap(([name, text]) => [`export type ${name} = ${text};`, '']),
    `/** The tools and prompts of ${shown}. */`,
    `export interface ${server} {`,
    '  readonly features: {',
    ...group('tools', toolLines),
    ...group('prompts', promptLines),
    '  };',
    '}',
    '',
    '/** The option `contract` of `connect`: it types the client, and fails if the server has drifted. */',
    `export const contract: Contract<${server}> = createContract<${server}>(${contractText(tools, prompts)});`,
    '',
  ].join('\n');
}

const group = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0
    ? [`    readonly ${name}: Record<never, never>;`]
    : [`    readonly ${name}: {`, ...lines.map((line) => indented(indented(indented(line)))), '    };'];

function toolLine(tool: Tool, into: Declarations): string {
  const input = typeOf(`${tool.name}-input`, tool.inputSchema, into);
  const output = tool.outputSchema && typeOf(`${tool.name}-output`, tool.outputSchema, into);
  const schemas = [
    `readonly inputSchema: Schema<${input}>`,
    ...(output === undefined ? [] : [`readonly outputSchema: Schema<${output}>`]),
  ];
  return featureLine(tool, schemas);
}

function promptLine(prompt: Prompt, into: Declarations): string {
  const args = prompt.arguments ?? [];
  const properties = args.map(({ name, description }) => [
    name,
    { type: 'string', ...(description && { description }) },
  ]);
  const required = args.filter((argument) => argument.required).map(({ name }) => name);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required };
  return featureLine(prompt, [`readonly argsSchema: Schema<${typeOf(`${prompt.name}-arguments`, schema, into)}>`]);
}

const featureLine = (feature: Tool | Prompt, schemas: readonly string[]): string =>
  `${documentation(feature)}readonly ${propertyName(feature.name)}: { readonly options: { ${schemas.join('; ')} } };`;

function typeOf(wanted: string, schema: unknown, into: Declarations): string {
  const name = into.names.unique(wanted, 'Value');
  declareType(name, rootOf(schema), into);
  return name;
}

function contractText(tools: readonly Tool[], prompts: readonly Prompt[]): string {
  const definition = {
    tools: Object.fromEntries(
      tools.map(({ name, inputSchema, outputSchema }) => [
        name,
        { inputSchema, ...(outputSchema && { outputSchema }) },
      ]),
    ),
    prompts: Object.fromEntries(
      prompts.map(({ name, arguments: args = [] }) => [
        name,
        { arguments: args.map((argument) => ({ name: argument.name, required: argument.required === true })) },
      ]),
    ),
  };
  // Indented JSON is code; its line breaks are its own.
  return readableJson(definition)
    .split('\n')
    .map((line) => inCode(line))
    .join('\n');
}

const inComment = (text: string): string => escapeControls(text.slice(0, 100)).replaceAll('*/', '*\\/');
