/** Calls a tool: validates what it is given, runs it, and makes a result of what it returns. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { Done } from '../../protocol/neutral.ts';
import { issuesText } from '../../schema/issues.ts';
import type { SchemaReading, Validated } from '../../schema/reading.ts';
import type { AskingContext } from '../definition/context.ts';
import { markedOf } from '../definition/returns.ts';
import { askByReturning, done, type Invocation, isOver, isUnaskable, whenSettled } from './invocation.ts';
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
  const { call, context, finish } = invocation;
  limitTime(invocation, tool.timeoutMs);
  const fail = (error: unknown): void => failed(invocation, tool, error);
  const run = (input: unknown): void =>
    whenSettled(
      () => tool.run(input as never, context),
      (value) => returned(invocation, tool, value, fail),
      fail,
    );
  const given = call.params.arguments ?? {};
  if (tool.input === undefined) return run(given);
  const { validate } = tool.input;
  const judge = (verdict: Validated): void =>
    verdict.ok ? run(verdict.value) : finish(isError(`Invalid arguments: ${issuesText(verdict.issues)}`));
  whenSettled(() => validate(given), judge, fail);
}

function returned(invocation: Invocation, tool: CallableTool, value: unknown, fail: (error: unknown) => void): void {
  const { finish } = invocation;
  const marked = markedOf(value);
  if (marked?.kind === 'needs-input') return askByReturning(invocation, marked);
  if (marked?.kind === 'result') {
    const { structuredContent, isError } = marked.result;
    if (tool.output === undefined || isError === true) return finish(done({ ...marked.result }));
    return structured(invocation, tool, structuredContent, fail, marked.result);
  }
  if (tool.output !== undefined) return structured(invocation, tool, value, fail);
  if (typeof value === 'string') return finish(done({ content: [{ type: 'text', text: value }] }));
  if (marked?.kind === 'content') return finish(done({ content: [...marked.blocks] }));
  fail(new Error(`tools.${tool.name}: a handler without output schema returns a string, content(…) or result(…).`));
}

/** What a tool promises it keeps, also where its handler writes the whole result. */
function structured(
  { finish }: Invocation,
  tool: CallableTool,
  value: unknown,
  fail: (error: unknown) => void,
  whole?: CallToolResult,
): void {
  const judge = (verdict: Validated): void => {
    if (!verdict.ok) return fail(new Error(`tools.${tool.name}: the output is invalid: ${issuesText(verdict.issues)}`));
    const { content = [{ type: 'text', text: JSON.stringify(verdict.value) ?? 'null' }], ...rest } = whole ?? {};
    const result = { ...rest, content, structuredContent: verdict.value };
    finish({ kind: 'done', result, outputRoot: tool.outputRoot });
  };
  const validate = tool.output?.validate ?? ((output: unknown): Validated => ({ ok: true, value: output }));
  whenSettled(() => validate(value), judge, fail);
}

const isError = (text: string): Done => done({ content: [{ type: 'text', text }], isError: true });

/** The model hears that the tool failed; what went wrong is for the server's own log. */
function failed(invocation: Invocation, tool: CallableTool, error: unknown): void {
  const { finish, fail, terms, ports, call, target, context } = invocation;
  if (error instanceof RpcError) return fail(error);
  if (isOver(error, invocation)) return;
  if (isUnaskable(error)) {
    return ports.unaskable === 'error' ? fail(error) : finish(isError(error.message));
  }
  if (!context.over) terms.failed(error, { method: call.method, target });
  finish(isError(`The tool ${tool.name} failed.`));
}
