/** Sets limits that no option sets: tests use small ones, and never fill the real size. */
import { fixed } from '../../src/lib/options/fixed-limits.ts';

/** Options, or a group of them, with other values for the fixed limits: `limits: withFixed({}, { maxStreams: 3 })`. */
export const withFixed = <T extends object>(options: T, limits: Readonly<Record<string, number>>): T => ({
  ...options,
  [fixed]: limits,
});
