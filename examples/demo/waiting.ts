/** A pause that ends early, and leaves no timer behind, when a call is given up. */
import { setTimeout } from 'node:timers/promises';

export const after = (ms: number, signal: AbortSignal): Promise<void> => setTimeout(ms, undefined, { signal });
