/** The bounds of a policy: of its document when it is read, and of a condition when it is evaluated. */

/**
 * Characters of a policy.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxDocumentChars = 256 * 1024;

/**
 * Levels of nesting of a policy.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxNesting = 64;

/**
 * Rules of a policy.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxRules = 1000;

/**
 * Tests of a policy.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxTests = 1000;

/**
 * Entries of a list of a rule.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxEntries = 100;

/**
 * Characters of a name, pattern, scope or description of a rule.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxTextChars = 512;

/**
 * Characters of a condition.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxConditionChars = 4096;

/**
 * Nodes of a condition.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxConditionNodes = 200;

/**
 * Levels of nesting of a condition.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxConditionDepth = 32;

/**
 * Instructions of a pattern of `matches`.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxPatternSize = 2000;

/**
 * Problems of a policy that one error lists.
 * @limit guard
 * @beyond the rest is counted
 * @code invalid-policy
 */
export const maxProblems = 20;

/**
 * How long an approval holds: `expires` of a rule.
 * @limit guard
 * @beyond the policy is refused
 * @code invalid-policy
 */
export const maxApprovalMs = 7 * 24 * 60 * 60_000;

/**
 * Characters of a name or URI that is decided about.
 * @limit guard
 * @beyond denied (`name-too-long`)
 */
export const maxTargetChars = 4096;

/**
 * Entries of a list or object that a condition reads.
 * @limit guard
 * @beyond the condition fails
 */
export const maxItems = 1000;

/**
 * Values that the conditions of a decision read.
 * @limit guard
 * @beyond the condition fails
 */
export const maxValues = 10_000;

/**
 * Characters that the conditions of a decision read.
 * @limit guard
 * @beyond the condition fails
 */
export const maxValueChars = 64 * 1024;

/**
 * Levels of nesting of a value that a condition reads.
 * @limit guard
 * @beyond the condition fails
 */
export const maxValueDepth = 32;

/**
 * Steps of the functions on texts of a decision. A step is a character; for `matches` times the size of the pattern.
 * @limit guard
 * @beyond the condition fails
 */
export const maxTextSteps = 4_000_000;

/**
 * Names of features whose rules a policy remembers.
 * @limit guard
 * @beyond its rules are found again
 */
export const maxRememberedNames = 20_000;

/**
 * Rules in the different lists that a policy remembers for these names.
 * @limit guard
 * @beyond they are found again
 */
export const maxRememberedRules = 200_000;
