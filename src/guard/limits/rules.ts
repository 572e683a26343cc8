/** The rules of the option `limits` of a guard that no type states. */
import { has, isFunction, type Rule, type Rules } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import { limitOptions, toolLimitOptions } from './rate.table.ts';
import { rateText } from './rate.ts';

/** A rate, or an object with one. */
const limitWith = (fields: Rules): Rule => ({
  holds: (value) => isRecord(value) || rateText.holds(value),
  must: `${rateText.must}, or an object with ${Object.keys(fields).join(', ')}`,
  fields,
});

export const callerLimit: Rule = /* @__PURE__ */ limitWith(limitOptions);

/** One entry of `limitsByTool`. */
export const toolLimit: Rule = /* @__PURE__ */ limitWith(toolLimitOptions);

export const limitsByTool: Rule = {
  holds: isRecord,
  must: "be an object with a limit for each tool, such as { report: '5/min' }",
};

/** One entry of `costsByTool`. */
export const toolCost: Rule = {
  holds: (value) => isFunction(value) || (typeof value === 'number' && Number.isFinite(value) && value >= 0),
  must: 'be a number of at least 0, or a function that returns one',
};

export const costsByTool: Rule = {
  holds: isRecord,
  must: 'be an object with a cost for each tool, such as { report: 10 }',
};

export const limitStore: Rule = {
  holds: (value) => ['take', 'renew', 'release'].every((method) => has(value, method)),
  must: 'have the methods take(), renew() and release(), as `limits` of createMemoryStore() has',
};
