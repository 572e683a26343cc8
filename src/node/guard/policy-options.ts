/** The options of `policyFile`, their rules and defaults. */
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import {
  callback,
  checkOptions,
  count,
  duration,
  group,
  type Rule,
  type Rules,
} from '../../lib/options/option-rules.ts';

/** Times of `policyFile`. */
export interface PolicyFileTimeouts {
  /** The time between two looks at the file. Default 2 seconds. */
  readonly pollMs?: number;
  /** How long the file must be unchanged before it is read, so that a document that is still being written is not. Default 300 milliseconds. */
  readonly settleMs?: number;
}

/** The options of `policyFile`. */
export interface PolicyFileOptions {
  /** How many decisions `explain` knows: the newest, of all versions of the file. Default 10,000. */
  readonly maxDecisions?: number;
  /** When the file is looked at. */
  readonly timeouts?: PolicyFileTimeouts;
  /** Gets why a new document was refused, with line and column; the last good one stays. Default: `process.emitWarning`. */
  readonly onWarning?: (warning: TenonError) => void;
}

const timeoutRules: Rules & Record<keyof PolicyFileTimeouts, Rule> = { pollMs: duration, settleMs: duration };

const rules: Rules & Record<keyof PolicyFileOptions, Rule> = {
  maxDecisions: count,
  timeouts: group(timeoutRules),
  onWarning: callback,
};

export interface ResolvedPolicyFileOptions extends Required<PolicyFileTimeouts> {
  readonly maxDecisions: number;
  readonly onWarning: (warning: TenonError) => void;
}

export function resolveOptions(options: PolicyFileOptions): ResolvedPolicyFileOptions {
  checkOptions('policyFile()', options, rules, 'invalid-argument', {
    onError: 'onWarning',
    interval: 'timeouts.pollMs',
  });
  const { maxDecisions = 10_000, timeouts, onWarning = (warning) => process.emitWarning(warning) } = options;
  return { maxDecisions, onWarning, pollMs: 2000, settleMs: 300, ...timeouts };
}
