/** The bounds of a policy: of its document when it is read, and of a condition when it is evaluated. */
export const policyLimits = {
  /** Characters of a document. */
  maxDocumentChars: 256 * 1024,
  /** Levels of brackets and lists in a line. */
  maxNesting: 64,
  maxRules: 1000,
  maxTests: 1000,
  /** Entries of one list of a rule. */
  maxEntries: 100,
  /** Characters of a pattern, name, scope or description. */
  maxTextChars: 512,
  maxConditionChars: 4096,
  maxConditionNodes: 200,
  maxConditionDepth: 32,
  /** Entries of a list or an object that a condition reads. */
  maxItems: 1000,
  /** Values, characters and nesting of everything that a condition reads. */
  maxValues: 10_000,
  maxValueChars: 64 * 1024,
  maxValueDepth: 32,
  /** Characters of a name or URI that is decided about. */
  maxTargetChars: 4096,
  /** Characters that `matches` and `contains` of all conditions of a decision may visit; for `matches` times the size of the pattern. */
  maxTextSteps: 4_000_000,
  /** Instructions of a compiled pattern of `matches`. */
  maxPatternSize: 2000,
  /** Problems that one error lists. */
  maxProblems: 20,
} as const;
