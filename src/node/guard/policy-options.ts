/** The options of `policyFile`, and the times that are fixed. */
import type { PolicyOptions } from '../../guard/policy/options.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';

/**
 * The options of `policyFile`: those of `createPolicy`, but errors have the name of the file.
 * @area guard
 * @of `policyFile`
 */
export interface PolicyFileOptions extends Omit<PolicyOptions, 'fileName'> {
  /**
   * Gets why a new document was refused, with line and column; the last good one stays.
   * @default computed `process.emitWarning`
   */
  readonly onWarning?: (warning: TenonError) => void;
}

/**
 * The time between two looks at the file of a policy. A change is used if two looks in a row read the same document.
 * @limit PolicyFileOptions.pollMs
 */
export const pollMs = 2000;
