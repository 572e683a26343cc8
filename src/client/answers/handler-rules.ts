/** Rules of handlers whose kind does not follow from their type. */
import { isFunction, type Rule } from '../../lib/options/option-rules.ts';
import { rootProblem } from './handlers.ts';

/** Roots that a function returns are checked when a server requests them. */
export const rootsRule: Rule = {
  holds: (value) =>
    isFunction(value) || (Array.isArray(value) && value.every((root) => rootProblem(root) === undefined)),
  must: "be a list such as [{ uri: 'file:///home/me/project' }], or a function that returns one",
  entry(root) {
    const problem = rootProblem(root);
    return problem === undefined ? undefined : { problem };
  },
};
