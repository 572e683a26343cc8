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
 * The time between two looks at the file of a policy.
 * @limit PolicyFileOptions.pollMs
 */
export const pollMs = 2000;

/**
 * How long the file of a policy must be unchanged before it is read. A document that is still being written is not.
 * @limit PolicyFileOptions.settleMs
 * @beyond it is looked at again after this time
 */
export const settleMs = 300;
