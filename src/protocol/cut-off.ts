/** The mark of a call that was running when the server closed: whether it was executed is unknown. */
import { isRecord } from './model/primitives.ts';

/** The `data` of the error. */
export const cutOffData = Object.freeze({ outcome: 'unknown' });

/** Whether the `data` of an error has the mark. */
export const isCutOffData = (data: unknown): boolean => isRecord(data) && data.outcome === cutOffData.outcome;
