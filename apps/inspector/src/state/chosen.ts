/** The row of the timeline that is chosen, by its `seq`. */
import { signal } from '@preact/signals';

export const chosenSeq = signal<number | undefined>(undefined);
