/** The option `limits` of a guard, and its checks. */

import {
  count,
  duration,
  flag,
  group,
  has,
  isFunction,
  optionError,
  type Problem,
  problemsIn,
  type Rule,
  type Rules,
  wrong,
} from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { LimitStore, TokenBucket } from '../../store/limits/limit-store.ts';

/** How often, as a text such as `100/min`, `5/s`, `1000/h` or `20/d`. */
export type Rate = string;

/** A token bucket, and how many calls run at once. */
export interface LimitOptions {
  /** How often. The bucket fills evenly: `60/min` is one a second. */
  readonly rate?: Rate;
  /** How many may come at once, after a pause. Default: as many as `rate` allows in its unit of time. */
  readonly burst?: number;
  /** How many may run at once. */
  readonly concurrent?: number;
}

/** The limit of one tool. */
export interface ToolLimitOptions extends LimitOptions {
  /** Whether all callers share the limit. By default each caller has its own. */
  readonly shared?: boolean;
}

/** What a call of a tool costs: a number, or a function of its arguments, which gets them after validation. */
export type CallCost = number | ((args: Readonly<Record<string, unknown>>) => number);

/** How much callers may use. A call that is over a limit gets `rate-limited`, with the time to wait. */
export interface GuardLimits {
  /** Requests of one principal. A caller without a principal counts by its address. */
  readonly perPrincipal?: Rate | LimitOptions;
  /** Requests of one address, of all its principals together. An IPv6 address counts by its first 64 bits. */
  readonly perAddress?: Rate | LimitOptions;
  /** Calls of tools, by name. Each counts once, whatever it costs. */
  readonly perTool?: Readonly<Record<string, Rate | ToolLimitOptions>>;
  /** How many requests of one principal may run at once, like `perPrincipal.concurrent`. */
  readonly concurrent?: number;
  /** What calls of tools cost, by name: so many tokens of `perPrincipal` and `perAddress`. Everything else costs 1. */
  readonly costs?: Readonly<Record<string, CallCost>>;
  /** Where buckets are stored. Nodes that share it share the limits. Default: `limits` of the `store` of the server; without one, in memory. */
  readonly store?: LimitStore;
  /** How long a store may take; then the call gets `overloaded`. Default 2000. */
  readonly storeTimeoutMs?: number;
}

const rateForm = "be a text such as '100/min': a number, a slash, and s, min, h or d";

const bucketFields: Rules & Record<keyof LimitOptions, Rule> = {
  rate: { holds: (value) => readRate(value) !== undefined, must: rateForm },
  burst: count,
  concurrent: count,
};
const toolFields: Rules & Record<keyof ToolLimitOptions, Rule> = { ...bucketFields, shared: flag };

const limitRule = (fields: Rules): Rule => ({
  holds: (value) => isRecord(value) || readRate(value) !== undefined,
  must: `${rateForm}, or an object with ${Object.keys(fields).join(', ')}`,
  fields,
});

const isCost = (value: unknown): boolean =>
  isFunction(value) || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
const costRule: Rule = { holds: isCost, must: 'be a number of at least 0, or a function that returns one' };

const rules: Rules & Record<keyof GuardLimits, Rule> = {
  perPrincipal: limitRule(bucketFields),
  perAddress: limitRule(bucketFields),
  perTool: { holds: isRecord, must: "be an object with a limit for each tool, such as { report: '5/min' }" },
  concurrent: count,
  costs: { holds: isRecord, must: 'be an object with a cost for each tool, such as { report: 10 }' },
  store: {
    holds: isStore,
    must: 'have the methods take(), renew() and release(), as `limits` of createMemoryStore() has',
  },
  storeTimeoutMs: duration,
};

function isStore(value: unknown): boolean {
  return ['take', 'renew', 'release'].every((method) => has(value, method));
}

/** The rule of the option `limits`, for the options of a guard. */
export const limitsRule: Rule = group(rules);

/** Throws `invalid-argument` for the first wrong option. `of` is the function that was called. */
export function checkLimits(of: string, given: GuardLimits): void {
  if (!isRecord(given)) throw wrong(of, 'limits', limitsRule.must);
  const [first] = [...problemsIn('limits.', given, rules), ...toolProblems(given)];
  if (first !== undefined) throw optionError(of, first);
}

function toolProblems({ perPrincipal, perAddress, perTool = {}, costs = {}, concurrent }: GuardLimits): Problem[] {
  const tools = Object.fromEntries(Object.keys(perTool).map((name) => [name, limitRule(toolFields)]));
  const named = Object.fromEntries(Object.keys(costs).map((name) => [name, costRule]));
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

/** The token bucket of a limit, if it has one. */
export function bucketOf(limit: Rate | LimitOptions | undefined): TokenBucket | undefined {
  return isRecord(limit) ? readRate(limit.rate, (limit as LimitOptions).burst) : readRate(limit);
}

const twice: Problem = {
  place: 'limits.concurrent',
  text: 'limits.concurrent and limits.perPrincipal.concurrent are the same limit.',
  hint: 'Write one of them.',
};

const units: Readonly<Record<string, number>> = {
  s: 1000,
  sec: 1000,
  second: 1000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
};

/** `undefined` for a text that is no rate. `burst` is how many tokens the bucket holds, by default as many as the rate has. */
function readRate(text: unknown, burst?: number): TokenBucket | undefined {
  const [, amount, unit = ''] = (typeof text === 'string' && /^\s*(\d{1,12})\s*\/\s*([a-z]+)\s*$/.exec(text)) || [];
  const perMs = Object.hasOwn(units, unit) ? units[unit] : undefined;
  const tokens = Number(amount);
  return perMs === undefined || tokens === 0 ? undefined : { tokens, perMs, burst: burst ?? tokens };
}
