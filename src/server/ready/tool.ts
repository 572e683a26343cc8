/** A tool made ready: its schemas read, its record written. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { isTool } from '../../protocol/generated/record-checks.ts';
import type { Fields } from '../../protocol/neutral.ts';
import { readSchema, type SchemaReading } from '../../schema/reading.ts';
import type { Tool } from '../definition/tool.ts';
import { checkDefined, checkName, checkPositive, checkRecord } from './soundness.ts';

export interface ReadyTool {
  readonly source: Tool;
  readonly name: string;
  /** As it stands in the list. */
  readonly record: Fields;
  readonly input: SchemaReading | undefined;
  readonly output: SchemaReading | undefined;
  readonly outputRoot: 'object' | 'any' | undefined;
  readonly timeoutMs: number | undefined;
  readonly run: Tool['run'];
}

const emptyInput = { type: 'object', properties: {} };

export function readyTool(name: string, source: Tool): ReadyTool {
  checkName('tools', name);
  checkDefined(`tools.${name}`, source, 'tool', 'run');
  const { input, output, timeoutMs, ...described } = source.facts;
  checkPositive(`tools.${name}.timeoutMs`, timeoutMs);
  const read = input && readSchema(input, `tools.${name}.input`);
  const wrote = output && readSchema(output, `tools.${name}.output`, 'output');
  const inputSchema = read?.jsonSchema.input ?? emptyInput;
  if (inputSchema.type !== 'object') {
    throw new TenonError('invalid-definition', `tools.${name}.input: the schema is not of an object.`, {
      hint: 'Arguments have names: wrap the schema in an object.',
    });
  }
  const outputSchema = wrote?.jsonSchema.output;
  const record = { ...described, name, inputSchema, ...(outputSchema && { outputSchema }) };
  checkRecord(`tools.${name}`, record, isTool);
  return {
    source,
    name,
    record,
    input: read,
    output: wrote,
    outputRoot: outputSchema && (outputSchema.type === 'object' ? 'object' : 'any'),
    timeoutMs,
    run: source.run,
  };
}
