/** Gets a prompt: validates its arguments, runs it, and makes messages of what it returns. */
import { rpcError } from '../../protocol/errors.ts';
import { issuesText } from '../../schema/issues.ts';
import type { SchemaReading, Validated } from '../../schema/reading.ts';
import type { AskingContext } from '../definition/context.ts';
import { checkMessages } from '../definition/meta.ts';
import { markedOf } from '../definition/returns.ts';
import { askByReturning, done, type Invocation, whenSettled } from './invocation.ts';
import { limitTime } from './time-limit.ts';

/** What getting a prompt needs of it. */
export interface GettablePrompt {
  readonly name: string;
  readonly description: string | undefined;
  readonly args: SchemaReading | undefined;
  readonly timeoutMs: number | undefined;
  run(given: never, context: AskingContext): unknown;
}

export function getPrompt(invocation: Invocation, prompt: GettablePrompt): void {
  const { call, context, target } = invocation;
  limitTime(invocation, prompt.timeoutMs);
  const fail = (error: unknown): void => invocation.fail(error);
  const run = (given: unknown): void =>
    whenSettled(
      () => prompt.run(given as never, context),
      (value) => returned(invocation, prompt, value),
      fail,
    );
  const given = call.params.arguments ?? {};
  if (prompt.args === undefined) return run(given);
  const { validate } = prompt.args;
  const judge = (verdict: Validated): void =>
    verdict.ok
      ? run(verdict.value)
      : invocation.finish(
          rpcError('invalid-params', `Invalid arguments of the prompt ${target}: ${issuesText(verdict.issues)}`),
        );
  whenSettled(() => validate(given), judge, fail);
}

function returned(invocation: Invocation, { name, description }: GettablePrompt, value: unknown): void {
  const marked = markedOf(value);
  if (marked?.kind === 'needs-input') {
    return askByReturning(invocation, marked, (error) => invocation.fail(error));
  }
  if (marked?.kind === 'prompt') return invocation.finish(done({ ...marked.result }));
  const messages = typeof value === 'string' ? [{ role: 'user', content: { type: 'text', text: value } }] : value;
  if (!Array.isArray(messages))
    throw new Error(`prompts.${name}: a prompt returns a string, messages or promptResult(…).`);
  checkMessages(messages);
  invocation.finish(done({ ...(description !== undefined && { description }), messages }));
}
