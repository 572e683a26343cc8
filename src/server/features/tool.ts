/** A tool: `tool()` defines one, compiling reads its schemas and writes its record, serving validates, runs and answers. */

import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import { issueDetails } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import { describesObject } from '../../protocol/fitting/structured.ts';
import { isTool } from '../../protocol/generated/record-checks.ts';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import { idempotencyKey } from '../../protocol/meta-keys.ts';
import type { Done } from '../../protocol/neutral.ts';
import { type Issue, issuesText } from '../../schema/issues.ts';
import { readSchema, type SchemaReading, type Validated } from '../../schema/reading.ts';
import type { Schema } from '../../schema/standard.ts';
import { checkArguments, checkFields, checkName, checkPositive, checkRecord } from '../checks/definition-fields.ts';
import { checkHeaderMarks } from '../checks/header-marks.ts';
import { objectInput } from '../checks/object-input.ts';
import { notOutput, notToolResult } from '../checks/returned-values.ts';
import { checkScopes } from '../checks/scopes.ts';
import type { CallableTool } from '../definition/compiled.ts';
import { markedOf } from '../definition/returns.ts';
import type { ToolDefinition, ToolHandler, ToolOptions } from '../definition/tool.ts';
import { ToolError } from '../definition/tool-error.ts';
import { failedCall } from '../ports/target.ts';
import { done, type Invocation, isUnsupportedRequest, requireInput, whenSettled } from './invocation.ts';
import { allowed, startAllowed, started } from './judge.ts';
import { chooseTask, compileTask } from './task.ts';
import { limitTime } from './time-limit.ts';

/** `Out` itself, which only the options decide: where a tool is expected, the type of that place would allow every return. */
type Own<Out extends Schema | undefined> = [Out] extends [infer Same extends Schema | undefined] ? Same : never;

/**
 * Defines a tool. With `outputSchema` the handler returns the structured value, without it a string or `content(…)`.
 *
 * ```ts
 * tool({ description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`);
 * ```
 */
export const tool = <In extends Schema = Schema, Out extends Schema | undefined = undefined>(
  options: ToolOptions<In, Out>,
  run: ToolHandler<In, Out>,
): ToolDefinition<In, Own<Out>> => {
  checkArguments('tool', options, run);
  return {
    kind: 'tool',
    options: options as ToolOptions<In, never>,
    handler: run as ToolDefinition['handler'],
    compile: compileTool,
  };
};

interface CompiledTool extends CallableTool<Invocation>, Pick<ToolDefinition, 'handler'> {
  readonly name: string;
  readonly input: SchemaReading | undefined;
  readonly output: SchemaReading | undefined;
  readonly outputRoot: 'object' | 'any' | undefined;
}

const emptyInput = { type: 'object', properties: {} };

const fields = [
  'title',
  'description',
  'icons',
  'annotations',
  '_meta',
  'timeoutMs',
  'scopes',
  'inputSchema',
  'outputSchema',
  'task',
] as const satisfies readonly (keyof ToolOptions<Schema, Schema>)[];

function compileTool(name: string, source: ToolDefinition): CompiledTool {
  checkName('tools', name);
  checkFields(`tools.${name}`, { ...source.options }, fields);
  const {
    inputSchema: ownInput,
    outputSchema: ownOutput,
    timeoutMs,
    scopes: ownScopes,
    task: taskOptions,
    ...described
  } = source.options;
  checkPositive(`tools.${name}.timeoutMs`, timeoutMs);
  const scopes = checkScopes(`tools.${name}`, ownScopes);
  const input = ownInput && readSchema(ownInput, `tools.${name}.inputSchema`);
  const output = ownOutput && readSchema(ownOutput, `tools.${name}.outputSchema`, 'output');
  const inputSchema =
    input === undefined ? emptyInput : objectInput(`tools.${name}.inputSchema`, input.jsonSchema.input);
  checkHeaderMarks(`tools.${name}.inputSchema`, inputSchema);
  const outputSchema = output?.jsonSchema.output;
  const task = compileTask(name, taskOptions);
  const execution = task && { execution: { taskSupport: task.isRequired ? 'required' : 'optional' } };
  const record = { ...described, name, inputSchema, ...(outputSchema && { outputSchema }), ...execution };
  checkRecord(`tools.${name}`, record, isTool);
  const outputRoot = outputSchema && (describesObject(outputSchema) ? 'object' : 'any');
  return {
    source,
    record,
    timeoutMs,
    scopes,
    name,
    input,
    output,
    outputRoot,
    task,
    handler: source.handler,
    serve: callTool,
  };
}

function callTool(this: CompiledTool, invocation: Invocation): void {
  limitTime(invocation, this.timeoutMs);
  const sent = invocation.call.params.arguments ?? {};
  if (this.input === undefined) return run(invocation, this, sent);
  const outcome = this.input.validate(sent);
  if (!isPromiseLike(outcome)) return validated(invocation, this, outcome);
  outcome.then((one) => validated(invocation, this, one)).then(undefined, (error) => failed(invocation, this, error));
}

function validated(invocation: Invocation, tool: CompiledTool, outcome: Validated): void {
  if (outcome.ok) run(invocation, tool, outcome.value);
  else invocation.finish(wrongArguments(invocation, tool, outcome.issues));
}

/** A model can correct its arguments, so it gets the text, unless the peer has an error for it. */
function wrongArguments(
  { caller, call }: Invocation,
  { name }: CompiledTool,
  issues: readonly Issue[],
): Done | RpcError {
  const { errorNumbers, tasks } = caller.revision;
  const text = `Invalid arguments: ${issuesText(issues)}`;
  const needsTask = tasks?.createdBy !== undefined && call.params.task !== undefined;
  if (errorNumbers['invalid-tool-arguments'] === undefined && !needsTask) return isError(text);
  return rpcError('invalid-tool-arguments', text, { toolName: name, ...issueDetails(issues) });
}

function run(invocation: Invocation, tool: CompiledTool, input: unknown): void {
  if (tool.task === undefined && invocation.call.params.task === undefined) return runNow(invocation, tool, input);
  const chosen = chooseTask(invocation, tool);
  if (chosen === 'now') return runNow(invocation, tool, input);
  if (chosen instanceof RpcError) return invocation.finish(chosen);
  if (chosen.byHandler && invocation.caller.revision.tasks?.decidedBy === 'server') {
    invocation.laterTask = chosen;
    return runNow(invocation, tool, input);
  }
  const { guarded, limits } = invocation;
  const begin = (): void => limits.tasks.begin(invocation, chosen);
  if (guarded === undefined) begin();
  else startAllowed(invocation, guarded, 'call', [{ tool: tool.name }], input, begin);
}

function runNow(invocation: Invocation, tool: CompiledTool, input: unknown): void {
  const { guarded } = invocation;
  if (guarded === undefined)
    return tool.task === undefined
      ? handle(invocation, tool, input)
      : runOnce(invocation, () => handle(invocation, tool, input));
  const start = (): void => started(invocation, guarded, () => handle(invocation, tool, input));
  // A repeat is decided as well, and gets the stored result.
  allowed(invocation, guarded, 'call', [{ tool: tool.name }], input, () => runOnce(invocation, start));
}

/** Runs a call with an idempotency key once. */
function runOnce(invocation: Invocation, carryOut: () => void): void {
  const { idempotency } = invocation.limits;
  if (idempotency === undefined || invocation.call.meta[idempotencyKey] === undefined) return carryOut();
  idempotency.serve(invocation, carryOut);
}

/** Without closures: they cost throughput here. */
function handle(invocation: Invocation, tool: CompiledTool, input: unknown): void {
  try {
    const value = tool.handler(input as never, invocation.context);
    if (!isPromiseLike(value)) return returned(invocation, tool, value);
    Promise.resolve(value).then(
      (one) => settle(invocation, tool, one),
      (error) => failed(invocation, tool, error),
    );
  } catch (error) {
    failed(invocation, tool, error);
  }
}

function settle(invocation: Invocation, tool: CompiledTool, value: unknown): void {
  try {
    returned(invocation, tool, value);
  } catch (error) {
    failed(invocation, tool, error);
  }
}

function returned(invocation: Invocation, tool: CompiledTool, value: unknown): void {
  if (typeof value === 'string' && tool.output === undefined) return invocation.finish(done(textContent(value)));
  const marked = markedOf(value);
  if (marked?.type === 'input-required') {
    return requireInput(invocation, marked, (error) => failed(invocation, tool, error));
  }
  if (marked?.type === 'result') {
    const { structuredContent, isError } = marked.result;
    if (tool.output === undefined || isError === true) return invocation.finish(done({ ...marked.result }));
    return structured(invocation, tool, structuredContent, marked.result);
  }
  if (tool.output !== undefined) return structured(invocation, tool, value);
  if (marked?.type === 'content') return invocation.finish(done({ content: [...marked.blocks] }));
  throw notToolResult(`tools.${tool.name}`, value);
}

/** Validates by the output schema, even if the handler returns a whole result. */
function structured(invocation: Invocation, tool: CompiledTool, value: unknown, whole?: CallToolResult): void {
  const accept = (outcome: Validated): void => {
    if (!outcome.ok) throw notOutput(`tools.${tool.name}`, value, issuesText(outcome.issues));
    const { content = [{ type: 'text', text: JSON.stringify(outcome.value) ?? 'null' }], ...rest } = whole ?? {};
    const result = { ...rest, content, structuredContent: outcome.value };
    invocation.finish({ resultType: 'complete', result, outputRoot: tool.outputRoot });
  };
  const validate = tool.output?.validate ?? ((output: unknown): Validated => ({ ok: true, value: output }));
  const fail = (error: unknown): void => failed(invocation, tool, error);
  whenSettled(() => validate(value), accept, fail);
}

const textContent = (text: string): Fields => ({ content: [{ type: 'text', text }] });

const isError = (text: string): Done => done({ content: [{ type: 'text', text }], isError: true });

/** The model gets the information that the tool failed; the error itself goes to `onError`. */
function failed(invocation: Invocation, tool: CompiledTool, error: unknown): void {
  const { limits, ports, call, target, context } = invocation;
  if (RpcError.isOwn(error)) return invocation.fail(error);
  if (error instanceof ToolError) return invocation.finish(isError(error.message));
  // Not for the model, which cannot change what its client supports.
  if (isUnsupportedRequest(error)) return invocation.fail(error);
  if (!context.finished) {
    limits.failed(error, failedCall(call.method, target, ports.requestId));
    if (tool.task !== undefined) ports.task?.threw(error, tool.task.retry);
  }
  invocation.finish(isError(`The tool ${tool.name} failed.`));
}
