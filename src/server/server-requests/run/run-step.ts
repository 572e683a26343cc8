/** Runs a step, again after a pause if it throws and may be tried again. */
import { checkOptions, type Rule, type Rules } from '../../../lib/options/option-rules.ts';
import type { StepOptions, StepRun } from '../../definition/context.ts';
import { maxBackoffMs } from '../../definition/tool.ts';

const rules: Rules & Record<keyof StepOptions, Rule> = {
  attempts: { holds: (value) => Number.isSafeInteger(value) && Number(value) > 0, must: 'be a whole number from 1' },
  backoffMs: { holds: (value) => Number.isFinite(value) && Number(value) >= 0, must: 'be milliseconds, 0 or more' },
  ifUncertain: { holds: (value) => value === 'run' || value === 'fail', must: "be 'run' or 'fail'" },
};

/** The name of a step outside its call: no other step of any call has it. */
export const stepKey = (callId: string, key: string): string => `${callId}/${key}`;

/** `checkRunning` throws if the call has ended: then the step is not tried again. */
export async function runStep(
  key: string,
  run: (step: StepRun) => Promise<unknown>,
  options: StepOptions,
  checkRunning: () => void,
  mayHaveRun = false,
): Promise<unknown> {
  checkOptions('ctx.step()', options, rules);
  const { attempts = 1, backoffMs = 1000 } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run({ key, attempt, mayHaveRun });
    } catch (error) {
      if (attempt >= attempts) throw error;
    }
    const pauseMs = Math.min(backoffMs * 2 ** (attempt - 1), maxBackoffMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    checkRunning();
  }
}
