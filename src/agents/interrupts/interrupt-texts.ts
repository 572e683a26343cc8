/** What a model gets for a call that waits for a person, that was denied, or that cannot be resumed. */
import type { Interrupt, ToolOutcome } from '../api.ts';

const waiting: Readonly<Record<Interrupt['kind'], string>> = {
  consent: 'the user has to allow it',
  elicitation: 'the server needs an answer of the user',
  approval: 'another person has to approve it',
  task: 'its task is still running',
};

/** For a framework without interrupts of its own. The program got the interrupt as an event of the toolkit. */
export const textOfInterrupt = ({ kind, call }: Interrupt): string =>
  `${call.name} has no result yet: ${waiting[kind]}. Do not call it again; go on without it, or end your turn.`;

/** What a model gets that takes text only. */
export const textOfOutcome = (outcome: ToolOutcome): string =>
  outcome.type === 'interrupt' ? textOfInterrupt(outcome.interrupt) : outcome.text;

export const deniedText = (tool: string, reason: string | undefined): string =>
  `Denied: the user did not allow ${tool}${reason === undefined ? '' : `: ${reason}`}. Do not repeat the call: ask the user, or go on without it.`;

export const staleText = (tool: string): string =>
  `${tool} was not continued: its question has expired, was answered already, or the tool has changed. Call it again if you still need it.`;
