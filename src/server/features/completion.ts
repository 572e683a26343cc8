/** Completes an argument of a prompt or of a template. */
import { type Fields, isRecord } from '../../lib/values/is.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { GuardedFeature } from '../../ports/guard.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { CompleteCallback, CompletionValues } from '../definition/resource.ts';
import { maxTargetChars } from '../ports/target.ts';
import { bridgedRun, type RunContext } from './bridged-run.ts';
import { done, type Invocation } from './invocation.ts';
import { startAllowed } from './judge.ts';
import { limitTime } from './time-limit.ts';

/**
 * Values of a completion.
 * @limit server
 * @beyond the rest is left out, `hasMore` is set
 */
const most = 100;

export async function completeArgument(
  invocation: Invocation,
  completers: Pick<ReadonlyMap<string, CompleteCallback>, 'get'>,
  timeoutMs: number | undefined,
  feature: GuardedFeature,
  uriOf?: (variables: Readonly<Record<string, string>>) => string | undefined,
): Promise<Settled> {
  const { call, context, guarded } = invocation;
  const { argument, context: sent } = call.params as unknown as CompleteParams;
  const chosen = chosenIn(sent);
  const complete = completers.get(argument.name) ?? nothing;
  // The variables of a template, expanded for every value that is found.
  if (uriOf !== undefined && charactersOf(argument, chosen) > maxTargetChars)
    return rpcError('invalid-params', `The variables of the template have more than ${maxTargetChars} characters`);
  limitTime(invocation, timeoutMs);
  const args = { ...chosen, [argument.name]: argument.value };
  const refused = guarded && (await startAllowed(invocation, guarded, 'complete', [feature], args));
  if (refused !== undefined) return refused;
  const found = await complete(argument.value, completing(context, chosen));
  if (guarded === undefined) return done({ completion: completion(found) });
  /** A value must not name a resource that the caller may not see. */
  const isVisible = (value: string): boolean => {
    const resource = uriOf?.({ ...chosen, [argument.name]: value });
    return resource === undefined || guarded.sees({ resource, ...feature });
  };
  const { values, total = 0, hasMore }: CompletionValues = isCompleted(found) ? found : { values: found };
  const visible = values.filter(isVisible);
  // A larger total may count hidden values.
  const isWhole = visible.length === values.length && (uriOf === undefined || total <= values.length);
  return done({
    completion: completion(isWhole ? found : { values: visible, ...(hasMore !== undefined && { hasMore }) }),
  });
}

const charactersOf = ({ name, value }: CompleteParams['argument'], chosen: Readonly<Record<string, string>>): number =>
  Object.entries(chosen).reduce((sum, [key, { length }]) => sum + key.length + length, name.length + value.length);

type Found = readonly string[] | CompletionValues;

/** The completer of an argument that has none. */
const nothing: CompleteCallback = () => [];

/** The context of the call with the arguments chosen before. Its members are created when first read, as there. */
const completing = (
  context: RunContext,
  chosen: Readonly<Record<string, string>>,
): Parameters<CompleteCallback>[1] & RunContext => ({
  arguments: chosen,
  get [bridgedRun]() {
    return context[bridgedRun];
  },
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
  /** Older revisions do not have it, and so do not check it. */
  readonly context?: unknown;
}

/** The arguments that were chosen before: what is no text is left out. */
function chosenIn(context: unknown): Readonly<Record<string, string>> {
  const chosen = isRecord(context) && isRecord(context.arguments) ? context.arguments : {};
  return Object.fromEntries(
    Object.entries(chosen).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function completion(found: Found): Fields {
  const { values, total, hasMore }: CompletionValues = isCompleted(found) ? found : { values: found };
  const sent = values.slice(0, most);
  return { values: sent, total: total ?? values.length, hasMore: hasMore ?? sent.length < values.length };
}

const isCompleted = (found: Found): found is CompletionValues => !Array.isArray(found);
