/** Faults of a replayed server, as data: which response is delayed, torn, doubled, or never sent. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { checkOptions, count, positive, type Rule, type Rules } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';

/** One fault. */
export interface ReplayFault {
  /** The method of the requests that it is about; `*` for all. */
  readonly on: string;
  /** Which of them, counted from 1. Default: each. */
  readonly nth?: number;
  /**
   * What happens: `delay` waits `ms` first; `cut` closes the connection instead of an answer; `tear` sends half of the
   * response and closes; `double` sends the response twice; `drop` sends no response; `error` answers with an error.
   */
  readonly do: (typeof effects)[number];
  /** For `delay`: how long. Default 1000. */
  readonly ms?: number;
}

const effects = ['delay', 'cut', 'tear', 'double', 'drop', 'error'] as const;

const rules: Rules & Record<keyof ReplayFault, Rule> = {
  on: { holds: (value) => typeof value === 'string' && value !== '', must: "be a method such as 'tools/call', or '*'" },
  nth: count,
  do: {
    holds: (value) => (effects as readonly unknown[]).includes(value),
    must: `be one of ${effects.join(', ')}`,
  },
  ms: positive,
};

/** Checks a list of faults, such as one that was read from a file. */
export function checkFaults(faults: unknown): readonly ReplayFault[] {
  if (!Array.isArray(faults))
    throw new TenonError('invalid-argument', 'Faults are a list.', {
      hint: `Write [{ "on": "tools/call", "nth": 1, "do": "cut" }].`,
    });
  for (const [index, fault] of faults.entries()) {
    checkOptions(`faults[${index}]`, fault, rules);
    if (!isRecord(fault) || fault.on === undefined || fault.do === undefined)
      throw new TenonError('invalid-argument', `faults[${index}] needs "on" and "do".`, {
        hint: `Write { "on": "tools/call", "do": "cut" }.`,
      });
  }
  return faults as readonly ReplayFault[];
}

/** Finds the fault of each request. */
export class Faults {
  readonly #faults: readonly ReplayFault[];
  readonly #counts = new Map<ReplayFault, number>();

  constructor(faults: readonly ReplayFault[]) {
    this.#faults = faults;
  }

  of(method: string): ReplayFault | undefined {
    let found: ReplayFault | undefined;
    for (const fault of this.#faults) {
      if (fault.on !== '*' && fault.on !== method) continue;
      const seen = (this.#counts.get(fault) ?? 0) + 1;
      this.#counts.set(fault, seen);
      if (fault.nth === undefined || fault.nth === seen) found ??= fault;
    }
    return found;
  }
}
