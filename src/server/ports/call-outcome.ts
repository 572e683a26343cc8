/** The outcome of one run of a call: its result, or the input it requires before it can go on. */
import type { Done, Question } from '../../protocol/neutral.ts';
import type { Journal } from './journal.ts';

/** What a call came to within the kernel. */
export type CallOutcome = Done | InputRequiredOutcome;

export interface InputRequiredOutcome {
  readonly kind: 'suspended';
  readonly questions: Readonly<Record<string, Question>>;
  readonly journal: Journal;
}
