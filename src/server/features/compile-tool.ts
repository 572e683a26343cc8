/** Makes a tool ready: its schemas are read, its record is written. */

import { describesObject } from '../../protocol/fitting/structured.ts';
import { isTool } from '../../protocol/generated/record-checks.ts';
import { readSchema } from '../../schema/reading.ts';
import { refused } from '../checks/definition-error.ts';
import { checkHeaderMarks } from '../checks/header-marks.ts';
import { checkName, checkPositive, checkRecord } from '../checks/validation.ts';
import type { Compiled } from '../definition/compiled.ts';
import type { Tool } from '../definition/tool.ts';
import type { Invocation } from './invocation.ts';
import { type CallableTool, callTool } from './tool.ts';

const emptyInput = { type: 'object', properties: {} };

export function compileTool(name: string, source: Tool): Compiled<Invocation> {
  checkName('tools', name);
  const { input, output, timeoutMs, ...described } = source.facts;
  checkPositive(`tools.${name}.timeoutMs`, timeoutMs);
  const read = input && readSchema(input, `tools.${name}.input`);
  const wrote = output && readSchema(output, `tools.${name}.output`, 'output');
  const inputSchema = read?.jsonSchema.input ?? emptyInput;
  if (inputSchema.type !== 'object') {
    throw refused(
      `tools.${name}.input: the schema is not of an object.`,
      'Arguments have names: wrap the schema in an object.',
    );
  }
  checkHeaderMarks(`tools.${name}.input`, inputSchema);
  const outputSchema = wrote?.jsonSchema.output;
  const record = { ...described, name, inputSchema, ...(outputSchema && { outputSchema }) };
  checkRecord(`tools.${name}`, record, isTool);
  const tool: CallableTool = {
    name,
    input: read,
    output: wrote,
    outputRoot: outputSchema && (describesObject(outputSchema) ? 'object' : 'any'),
    timeoutMs,
    run: source.run,
  };
  return { source, record, timeoutMs, serve: (invocation) => callTool(invocation, tool) };
}
