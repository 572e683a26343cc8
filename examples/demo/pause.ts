/** A pause that ends early, without leaving a timer, when the call is cancelled. */
import { setTimeout } from 'node:timers/promises';

export const after = (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal });
