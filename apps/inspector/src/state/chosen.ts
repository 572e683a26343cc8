/** The row of the timeline that is chosen, by its `seq`, and whether the newest row is followed. */
import { signal } from '@preact/signals';

export const chosenSeq = signal<number | undefined>(undefined);

/** Until the person scrolls away, drags the moment or chooses a row. */
export const isLive = signal(true);
