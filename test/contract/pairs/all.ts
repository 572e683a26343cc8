/** All pairs. Their effects were written before the comparison was. */
import { inputs } from './inputs.ts';
import { outputs } from './outputs.ts';
import type { Pair } from './pair.ts';
import { sameMeaning } from './same.ts';
import { servers } from './servers.ts';

export const pairs: readonly Pair[] = [...inputs, ...outputs, ...sameMeaning, ...servers];
