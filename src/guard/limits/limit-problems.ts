/** Problems of the option `limits` that its table does not see: of limits and costs by tool, and of options that contradict each other. */
import { optionError, type Problem, problemsIn } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { GuardLimits } from './options.ts';
import { bucketOf, type LimitOptions, type Rate } from './rate.ts';
import { toolCost, toolLimit } from './rules.ts';

/** Throws `invalid-argument` for the first problem. `of` is the function that was called. */
export function checkLimits(of: string, limits: GuardLimits): void {
  const [first] = problemsOf(limits);
  if (first !== undefined) throw optionError(of, first);
}

function problemsOf({ perPrincipal, perAddress, perTool = {}, costs = {}, concurrent }: GuardLimits): Problem[] {
  const tools = Object.fromEntries(Object.keys(perTool).map((name) => [name, toolLimit]));
  const named = Object.fromEntries(Object.keys(costs).map((name) => [name, toolCost]));
  const entries = [
    ['limits.perPrincipal', perPrincipal],
    ['limits.perAddress', perAddress],
    ...Object.entries(perTool).map(([name, one]) => [`limits.perTool.${name}`, one] as const),
  ] as const;
  return [
    ...problemsIn('limits.perTool.', perTool, tools),
    ...problemsIn('limits.costs.', costs, named),
    ...entries.flatMap(([place, one]) => emptyProblem(place, one)),
    ...costProblems({ perPrincipal, perAddress }, costs),
    ...(concurrent !== undefined && isRecord(perPrincipal) && perPrincipal.concurrent !== undefined ? [twice] : []),
  ];
}

/** An object that limits nothing, or has a burst without a rate, is a mistake: the limit would silently not exist. */
function emptyProblem(place: string, one: Rate | LimitOptions | undefined): Problem[] {
  if (!isRecord(one)) return [];
  if (one.rate === undefined && one.burst !== undefined)
    return [{ place, text: `${place} has a burst and no rate.`, hint: `Write rate too, such as '100/min'.` }];
  const isEmpty = one.rate === undefined && one.concurrent === undefined;
  return isEmpty ? [{ place, text: `${place} limits nothing.`, hint: 'Write rate or concurrent.' }] : [];
}

/** A cost that no bucket can hold would refuse every call of the tool. */
function costProblems(limits: Readonly<Record<string, Rate | LimitOptions | undefined>>, costs: object): Problem[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    const most = bucketOf(limit)?.burst ?? Number.POSITIVE_INFINITY;
    const over = Object.entries(costs).filter(([, cost]) => typeof cost === 'number' && cost > most);
    return over.map(([tool, cost]) => ({
      place: `limits.costs.${tool}`,
      text: `limits.costs.${tool} is ${cost}, and limits.${name} allows ${most} at once: no call would ever run.`,
      hint: `Lower the cost, or raise burst of limits.${name}.`,
    }));
  });
}

const twice: Problem = {
  place: 'limits.concurrent',
  text: 'limits.concurrent and limits.perPrincipal.concurrent are the same limit.',
  hint: 'Write one of them.',
};
