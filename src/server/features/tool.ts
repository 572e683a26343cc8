/** A tool: `tool()` defines one, compiling reads its schemas and writes its record, serving validates, runs and answers. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import { issueDetails, outcomeLostData } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import { describesObject } from '../../protocol/fitting/structured.ts';
import { isTool } from '../../protocol/generated/record-checks.ts';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { Done } from '../../protocol/neutral.ts';
import { type Issue, issuesText } from '../../schema/issues.ts';
import { readSchema, type SchemaReading, type Validated } from '../../schema/reading.ts';
import type { Schema } from '../../schema/standard.ts';
import { checkArguments, checkFields, checkName, checkPositive, checkRecord } from '../checks/definition-fields.ts';
import { checkHeaderMarks } from '../checks/header-marks.ts';
import { objectInput } from '../checks/object-input.ts';
import { isReturnedValue, notOutput, notToolResult } from '../checks/returned-values.ts';
import { checkScopes } from '../checks/scopes.ts';
import type { CallableTool } from '../definition/compiled.ts';
import { markedOf } from '../definition/returns.ts';
import type { ToolDefinition, ToolHandler, ToolOptions } from '../definition/tool.ts';
import { ToolError } from '../definition/tool-error.ts';
import { failedCall } from '../ports/target.ts';
import { outcomeOfRequests } from '../server-requests/returned-requests.ts';
import { callInSteps, isPlainCall } from './call-steps.ts';
import { done, type Invocation, isUnsupportedRequest } from './invocation.ts';
import { compileTask } from './task.ts';
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
  'coercing',
  'outputSchema',
  'task',
] as const satisfies readonly (keyof ToolOptions<Schema, Schema>)[];

function compileTool(name: string, source: ToolDefinition): CompiledTool {
  checkName('tools', name);
  checkFields(`tools.${name}`, { ...source.options }, fields);
  const {
    inputSchema: ownInput,
    coercing = false,
    outputSchema: ownOutput,
    timeoutMs,
    scopes: ownScopes,
    task: taskOptions,
    ...described
  } = source.options;
  checkPositive(`tools.${name}.timeoutMs`, timeoutMs);
  const scopes = checkScopes(`tools.${name}`, ownScopes);
  const input = ownInput && readSchema(ownInput, `tools.${name}.inputSchema`, 'input', coercing);
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

/** Plain calls without promises, which cost throughput. */
function callTool(this: CompiledTool, invocation: Invocation): MaybePromise<Settled> {
  limitTime(invocation, this.timeoutMs);
  const { params } = invocation.call;
  const sent = params.arguments ?? {};
  const checked = this.input?.validate(sent) ?? { ok: true as const, value: sent };
  return isPromiseLike(checked)
    ? checked.then((found) => callChecked(invocation, this, found))
    : callChecked(invocation, this, checked);
}

function callChecked(invocation: Invocation, tool: CompiledTool, checked: Validated): MaybePromise<Settled> {
  if (!checked.ok) return wrongArguments(invocation, tool, checked.issues);
  const { value } = checked;
  if (isPlainCall(invocation, tool)) return handle(invocation, tool, value);
  return callInSteps(invocation, tool, value, () => handle(invocation, tool, value));
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

/** Without closures: they cost throughput here. */
function handle(invocation: Invocation, tool: CompiledTool, input: unknown): MaybePromise<Settled> {
  try {
    const value = tool.handler(input as never, invocation.context);
    return isPromiseLike(value) ? settle(invocation, tool, value) : outcomeOf(invocation, tool, value);
  } catch (error) {
    return failure(invocation, tool, error);
  }
}

async function settle(invocation: Invocation, tool: CompiledTool, value: PromiseLike<unknown>): Promise<Settled> {
  try {
    return outcomeOf(invocation, tool, await value);
  } catch (error) {
    return failure(invocation, tool, error);
  }
}

function outcomeOf(invocation: Invocation, tool: CompiledTool, value: unknown): MaybePromise<Settled> {
  if (typeof value === 'string' && tool.output === undefined) return done(textContent(value));
  const marked = markedOf(value);
  if (marked?.type === 'input-required') return outcomeOfRequests(invocation, marked);
  if (marked?.type === 'result') {
    const { structuredContent, isError } = marked.result;
    if (tool.output === undefined || isError === true) return done({ ...marked.result });
    return structured(invocation, tool, tool.output, structuredContent, marked.result);
  }
  if (tool.output !== undefined) return structured(invocation, tool, tool.output, value);
  if (marked?.type === 'content') return done({ content: [...marked.blocks] });
  throw notToolResult(`tools.${tool.name}`, value);
}

/** Validates by the output schema, even if the handler returns a whole result. */
function structured(
  invocation: Invocation,
  tool: CompiledTool,
  output: SchemaReading,
  value: unknown,
  whole?: CallToolResult,
): MaybePromise<Settled> {
  const accept = (checked: Validated): Done => {
    if (!checked.ok) throw notOutput(`tools.${tool.name}`, value, issuesText(checked.issues));
    const { content = [{ type: 'text', text: JSON.stringify(checked.value) ?? 'null' }], ...rest } = whole ?? {};
    const result = { ...rest, content, structuredContent: checked.value };
    return { resultType: 'complete', result, outputRoot: tool.outputRoot };
  };
  const checked = output.validate(value);
  if (!isPromiseLike(checked)) return accept(checked);
  return checked.then(accept).catch((error: unknown) => failure(invocation, tool, error));
}

const textContent = (text: string): Fields => ({ content: [{ type: 'text', text }] });

const isError = (text: string): Done => done({ content: [{ type: 'text', text }], isError: true });

/** The model gets the information that the tool failed; the error itself goes to `onError`. */
function failure(invocation: Invocation, tool: CompiledTool, error: unknown): Settled {
  const { limits, ports, call, target, context } = invocation;
  // A request that the client does not support is not for the model, which cannot change that.
  if (RpcError.isOwn(error) || isUnsupportedRequest(error)) return invocation.failure(error);
  if (error instanceof ToolError) return isError(error.message);
  if (!context.finished) {
    limits.failed(error, failedCall(call.method, target, ports.requestId));
    if (tool.task !== undefined) ports.task?.threw(error, tool.task.retry);
  }
  if (isUncertainStep(error)) return stepUncertain();
  const reason = isReturnedValue(error) && limits.isDevelopment() ? `: ${error.message}` : '.';
  return isError(`The tool ${tool.name} failed${reason}`);
}

/** Whether a step of a task has failed since it may have run before. */
const isUncertainStep = (error: unknown): boolean =>
  error instanceof TenonError && error.code === 'outcome-unknown' && 'step' in error.details;

/** Not a failure of the tool alone: the effect of the step may have happened. */
const stepUncertain = (): RpcError =>
  rpcError(
    'server-error',
    'The process that ran this call was lost during a step that must not run twice: whether the step was carried out is unknown.',
    outcomeLostData,
  );
