/** What can be wrong with a tool for a model: the rules, their levels, and a finding. */

/** `error`: a request fails, or a model cannot choose the tool. `warning`: it fails at some provider, or often goes wrong. */
export type FindingLevel = 'error' | 'warning' | 'note';

/** The levels, the worst first. */
export const findingLevels: readonly FindingLevel[] = ['error', 'warning', 'note'];

interface QualityRuleInfo {
  readonly level: FindingLevel;
  /** What a finding of it means, as a sentence. */
  readonly about: string;
}

/** Every rule by its name. `schema-rejected` has the level of the provider. */
export const qualityRules = {
  'over-budget': { level: 'error', about: 'All tools together take more tokens than the budget.' },
  'tool-large': { level: 'warning', about: 'One tool takes very many tokens in every request.' },
  'description-missing': { level: 'error', about: 'The tool has no description: a model has only its name.' },
  'description-repeats-name': { level: 'note', about: 'The description has no word that the name does not have.' },
  'description-long': { level: 'warning', about: 'The description is longer than some APIs accept.' },
  'descriptions-alike': { level: 'warning', about: 'Two tools have the same description, or nearly.' },
  'arguments-undescribed': {
    level: 'note',
    about: 'Neither a required argument nor its tool says what belongs into it.',
  },
  'required-unknown': { level: 'warning', about: 'The schema requires an argument that it does not define.' },
  'schema-rejected': { level: 'error', about: 'A provider rejects the schema as the server sends it.' },
  'definition-invalid': {
    level: 'error',
    about: 'The definition is not one of the protocol: clients leave the tool out.',
  },
  'schema-unusable': { level: 'error', about: 'The schema cannot be used for any model.' },
  'name-collision': { level: 'error', about: 'Two tools get the same name when the names of servers are joined.' },
  'names-alike': { level: 'warning', about: 'Two names differ only in case or separators.' },
  'name-characters': { level: 'warning', about: 'The name has characters that model APIs do not accept.' },
  'name-long': { level: 'warning', about: 'The name is too long for model APIs once a server name is before it.' },
  'hints-contradict': { level: 'error', about: 'The hints contradict each other, or the name of the tool.' },
  'result-large': { level: 'error', about: 'A result of an example takes more tokens than the budget for results.' },
  'example-failed': { level: 'error', about: 'A call of an example failed.' },
} as const satisfies Readonly<Record<string, QualityRuleInfo>>;

/** The name of a rule. */
export type QualityRule = keyof typeof qualityRules;

/** One thing that costs or misleads a model. */
export interface ToolFinding {
  /** The rule, such as `description-missing`. */
  readonly rule: QualityRule;
  /** `error`, `warning` or `note`. */
  readonly level: FindingLevel;
  /** The tool; absent if it is about the server. */
  readonly tool?: string;
  /** What was found. */
  readonly text: string;
  /** What to do. */
  readonly fix: string;
}

/** A finding of a rule at the rule's level. */
export const finding = (rule: QualityRule, tool: string | undefined, text: string, fix: string): ToolFinding => ({
  rule,
  level: qualityRules[rule].level,
  ...(tool !== undefined && { tool }),
  text,
  fix,
});

/** At most so many names in a sentence. */
const maxNamed = 5;

/** `a`, `b` and 3 more. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxNamed).map((name) => `\`${name}\``);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
