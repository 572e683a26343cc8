/** The bound of a run, which every engine has. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { maxOps, type Op } from './driver.ts';

/** Throws if a run has more ops than the contract allows. */
export function checkOps({ length }: readonly Op[]): void {
  if (length <= maxOps) return;
  throw new TenonError('invalid-argument', `A run has ${length} ops; ${maxOps} are allowed.`, {
    hint: 'Divide it into several runs.',
  });
}
