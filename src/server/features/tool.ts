/** Calls a tool: validates what it is given, runs it, and makes a result of what it returns. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { isPromiseLike } from '../../jsonrpc/promise-like.ts';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { Done, Fields } from '../../protocol/neutral.ts';
import { issuesText } from '../../schema/issues.ts';
import type { SchemaReading, Validated } from '../../schema/reading.ts';
import type { AskingContext } from '../definition/context.ts';
import { markedOf } from '../definition/returns.ts';
import { failedCall } from '../ports/target.ts';
import { askByReturning, done, type Invocation, isUnaskable, whenSettled } from './invocation.ts';
import { limitTime } from './time-limit.ts';

/** What a call needs of a tool. */
export interface CallableTool {
  readonly name: string;
  readonly input: SchemaReading | undefined;
  readonly output: SchemaReading | undefined;
  readonly outputRoot: 'object' | 'any' | undefined;
  readonly timeoutMs: number | undefined;
  run(given: never, context: AskingContext): unknown;
}

export function callTool(invocation: Invocation, tool: CallableTool): void {
  limitTime(invocation, tool.timeoutMs);
  const given = invocation.call.params.arguments ?? {};
  if (tool.input === undefined) return run(invocation, tool, given);
  const verdict = tool.input.validate(given);
  if (!isPromiseLike(verdict)) return judge(invocation, tool, verdict);
  verdict.then((one) => judge(invocation, tool, one)).then(undefined, (error) => failed(invocation, tool, error));
}

function judge(invocation: Invocation, tool: CallableTool, verdict: Validated): void {
  if (verdict.ok) run(invocation, tool, verdict.value);
  else invocation.finish(isError(`Invalid arguments: ${issuesText(verdict.issues)}`));
}

/** Plain steps: on this path every closure is felt. */
function run(invocation: Invocation, tool: CallableTool, input: unknown): void {
  try {
    const value = tool.run(input as never, invocation.context);
    if (!isPromiseLike(value)) return returned(invocation, tool, value);
    Promise.resolve(value).then(
      (one) => settle(invocation, tool, one),
      (error) => failed(invocation, tool, error),
    );
  } catch (error) {
    failed(invocation, tool, error);
  }
}

function settle(invocation: Invocation, tool: CallableTool, value: unknown): void {
  try {
    returned(invocation, tool, value);
  } catch (error) {
    failed(invocation, tool, error);
  }
}

function returned(invocation: Invocation, tool: CallableTool, value: unknown): void {
  if (typeof value === 'string' && tool.output === undefined) return invocation.finish(done(textContent(value)));
  const marked = markedOf(value);
  if (marked?.kind === 'needs-input') {
    return askByReturning(invocation, marked, (error) => failed(invocation, tool, error));
  }
  if (marked?.kind === 'result') {
    const { structuredContent, isError } = marked.result;
    if (tool.output === undefined || isError === true) return invocation.finish(done({ ...marked.result }));
    return structured(invocation, tool, structuredContent, marked.result);
  }
  if (tool.output !== undefined) return structured(invocation, tool, value);
  if (marked?.kind === 'content') return invocation.finish(done({ content: [...marked.blocks] }));
  throw new Error(`tools.${tool.name}: a handler without output schema returns a string, content(…) or result(…).`);
}

/** What a tool promises it keeps, also where its handler writes the whole result. */
function structured(invocation: Invocation, tool: CallableTool, value: unknown, whole?: CallToolResult): void {
  const judge = (verdict: Validated): void => {
    if (!verdict.ok) throw new Error(`tools.${tool.name}: the output is invalid: ${issuesText(verdict.issues)}`);
    const { content = [{ type: 'text', text: JSON.stringify(verdict.value) ?? 'null' }], ...rest } = whole ?? {};
    const result = { ...rest, content, structuredContent: verdict.value };
    invocation.finish({ kind: 'done', result, outputRoot: tool.outputRoot });
  };
  const validate = tool.output?.validate ?? ((output: unknown): Validated => ({ ok: true, value: output }));
  const fail = (error: unknown): void => failed(invocation, tool, error);
  whenSettled(() => validate(value), judge, fail);
}

const textContent = (text: string): Fields => ({ content: [{ type: 'text', text }] });

const isError = (text: string): Done => done({ content: [{ type: 'text', text }], isError: true });

/** The model hears that the tool failed; what went wrong is for the server's own log. */
function failed(invocation: Invocation, tool: CallableTool, error: unknown): void {
  const { terms, ports, call, target, context } = invocation;
  if (RpcError.isOwn(error)) return invocation.fail(error);
  if (isUnaskable(error)) {
    return ports.unaskable === 'error' ? invocation.fail(error) : invocation.finish(isError(error.message));
  }
  if (!context.over) terms.failed(error, failedCall(call.method, target, ports.requestId));
  invocation.finish(isError(`The tool ${tool.name} failed.`));
}
