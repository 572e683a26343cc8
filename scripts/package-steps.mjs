/** The checks on the package as it would be published. */
import { tool } from './command.mjs';

export const packageSteps = [
  { name: 'publint', command: tool('publint'), args: ['--strict'] },
  { name: 'attw', command: tool('attw'), args: ['--pack', '.', '--profile', 'esm-only'] },
];
