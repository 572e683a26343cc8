/** A definition made ready to serve: schemas read once, records written once. */
import { TenonError } from '../jsonrpc/errors.ts';
import type { Implementation, ServerCapabilities } from '../protocol/generated/types/records.ts';
import type { Fields } from '../protocol/neutral.ts';
import { readSchema, type SchemaReading } from '../schema/reading.ts';
import type { Resource, ServerDefinition, Tool } from './definition.ts';

export interface ReadyTool {
  readonly name: string;
  readonly record: Fields;
  readonly input: SchemaReading | undefined;
  readonly output: SchemaReading | undefined;
  readonly outputRoot: 'object' | 'any' | undefined;
  readonly run: Tool['run'];
}

export interface ReadyResource {
  readonly record: Fields;
  readonly read: Resource['read'];
}

export interface Registry {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  readonly tools: ReadonlyMap<string, ReadyTool>;
  readonly resources: ReadonlyMap<string, ReadyResource>;
}

export function createRegistry(definition: ServerDefinition): Registry {
  const { name, version, title, description, instructions, tools = {}, resources = {} } = definition;
  return {
    info: { name, version, ...(title && { title }), ...(description && { description }) },
    instructions,
    capabilities: {
      ...(definition.tools && { tools: {} }),
      ...(definition.resources && { resources: {} }),
    },
    tools: new Map(Object.entries(tools).map(([name, tool]) => [name, readyTool(name, tool)])),
    resources: new Map(Object.entries(resources).map(([uri, resource]) => [uri, readyResource(uri, resource)])),
  };
}

const emptyInput = { type: 'object', properties: {} };

function readyTool(name: string, { facts, run }: Tool): ReadyTool {
  if (!/^[\w.\-/]{1,128}$/.test(name)) {
    throw new TenonError('invalid-definition', `tools.${name}: not a name a tool may have.`, {
      hint: 'Use 1 to 128 letters, digits, dots, dashes, slashes or underscores.',
    });
  }
  const { input, output, ...described } = facts;
  const read = input && readSchema(input, `tools.${name}.input`);
  const wrote = output && readSchema(output, `tools.${name}.output`, 'output');
  const inputSchema = read?.jsonSchema.input ?? emptyInput;
  if (inputSchema.type !== 'object') {
    throw new TenonError('invalid-definition', `tools.${name}.input: the schema is not of an object.`, {
      hint: 'Arguments have names: wrap the schema in an object.',
    });
  }
  const outputSchema = wrote?.jsonSchema.output;
  return {
    name,
    record: { name, ...described, inputSchema, ...(outputSchema && { outputSchema }) },
    input: read,
    output: wrote,
    outputRoot: outputSchema && (outputSchema.type === 'object' ? 'object' : 'any'),
    run,
  };
}

function readyResource(uri: string, { facts, read }: Resource): ReadyResource {
  if (!URL.canParse(uri)) {
    throw new TenonError('invalid-definition', `resources[${JSON.stringify(uri)}]: not a URI.`, {
      hint: 'Begin it with a scheme, such as notes://today.',
    });
  }
  return { record: { uri, ...facts, name: facts.name ?? uri }, read };
}
