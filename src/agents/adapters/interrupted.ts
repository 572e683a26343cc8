/** What a framework without interrupts of its own gets for a call that waits for a person. */
import type { Interrupt } from '../api.ts';

const waiting: Readonly<Record<Interrupt['kind'], string>> = {
  consent: 'the user has to allow it',
  elicitation: 'the server needs an answer of the user',
  task: 'its task is still running',
};

/** The program got the interrupt as an event of the toolkit. */
export const textOfInterrupt = ({ kind, call }: Interrupt): string =>
  `${call.name} has no result yet: ${waiting[kind]}. Do not call it again; go on without it, or end your turn.`;
