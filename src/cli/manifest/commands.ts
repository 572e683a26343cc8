/** All commands. Nothing here loads one. */
import type { CommandSpec } from '../io/command.ts';
import { access } from './groups/access.ts';
import { build, setUp } from './groups/build.ts';
import { capture, contract } from './groups/capture.ts';
import { check } from './groups/check.ts';
import { look } from './groups/look.ts';
import { use } from './groups/use.ts';

export const commands: readonly CommandSpec[] = [
  ...build,
  ...look,
  ...use,
  ...check,
  ...capture,
  ...contract,
  ...access,
  ...setUp,
];
