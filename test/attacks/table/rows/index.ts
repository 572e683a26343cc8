/** All attacks. */
import type { Attack } from '../attack.ts';
import { costs } from './costs.ts';
import { documents } from './documents.ts';
import { floods } from './floods.ts';
import { guarded } from './guarded.ts';
import { hosts } from './hosts.ts';
import { injection } from './injection.ts';
import { logs } from './logs.ts';
import { mismatches } from './mismatches.ts';
import { owned } from './owned.ts';
import { paths } from './paths.ts';
import { policies } from './policies.ts';
import { urls } from './urls.ts';

export const attacks: readonly Attack[] = [
  ...paths,
  ...urls,
  ...injection,
  ...owned,
  ...mismatches,
  ...policies,
  ...documents,
  ...costs,
  ...logs,
  ...guarded,
  ...floods,
  ...hosts,
];
