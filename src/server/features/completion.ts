/** Completes an argument of a prompt or of a template. */
import type { Fields } from '../../protocol/neutral.ts';
import type { BaseContext } from '../definition/context.ts';
import type { CompleteCallback, CompletionValues } from '../definition/resource.ts';
import { done, type Invocation, whenSettled } from './invocation.ts';
import { limitTime } from './time-limit.ts';

/** The most values that one result may have. */
const most = 100;

export function completeArgument(
  invocation: Invocation,
  completers: ReadonlyMap<string, CompleteCallback>,
  timeoutMs: number | undefined,
): void {
  const { call, context } = invocation;
  const { argument, context: chosen } = call.params as unknown as CompleteParams;
  const complete = completers.get(argument.name);
  if (complete === undefined) return invocation.finish(done({ completion: { values: [], total: 0, hasMore: false } }));
  limitTime(invocation, timeoutMs);
  whenSettled(
    () => complete(argument.value, completing(context, chosen?.arguments ?? {})),
    (found) => invocation.finish(done({ completion: completion(found) })),
    (error) => invocation.fail(error),
  );
}

/** The context of the call with the arguments chosen before. Its members are created when first read, as there. */
const completing = (
  context: BaseContext,
  given: Readonly<Record<string, string>>,
): Parameters<CompleteCallback>[1] => ({
  arguments: given,
  get signal() {
    return context.signal;
  },
  get caller() {
    return context.caller;
  },
  get meta() {
    return context.meta;
  },
  log: (level, data, logger) => context.log(level, data, logger),
  reportProgress: (progress, total, message) => context.reportProgress(progress, total, message),
});

interface CompleteParams {
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Record<string, string> };
}

function completion(found: readonly string[] | CompletionValues): Fields {
  const { values, total, hasMore }: CompletionValues = isCompleted(found) ? found : { values: found };
  const sent = values.slice(0, most);
  return { values: sent, total: total ?? values.length, hasMore: hasMore ?? sent.length < values.length };
}

const isCompleted = (found: readonly string[] | CompletionValues): found is CompletionValues => !Array.isArray(found);
