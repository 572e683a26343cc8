/** The rule of the option `compat`, which servers and clients share. */
import { group, type Rule, type Rules } from '../../lib/options/option-rules.ts';
import { type CompatOptions, dialectNames } from './dialects.ts';
import { errorCodeTables } from './error-codes.ts';

const errorCodeTableNames: readonly string[] = Object.keys(errorCodeTables);

const compatRules: Rules & Record<keyof CompatOptions, Rule> = {
  dialects: {
    holds: (value) => Array.isArray(value) && value.every((one) => dialectNames.includes(one)),
    must: `be a list of ${dialectNames.join(', ')}`,
  },
  errorCodes: {
    holds: (value) => typeof value === 'string' && errorCodeTableNames.includes(value),
    must: `be one of ${errorCodeTableNames.join(', ')}`,
  },
};

export const compatRule: Rule = /* @__PURE__ */ group(compatRules);
