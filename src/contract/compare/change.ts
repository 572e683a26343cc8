/** A change between two snapshots, and its effect on callers. */

/** The effects of a change, from the worst to the best. */
export const effects = ['breaks', 'undecided', 'review', 'safe'] as const;

/**
 * What a change means. `breaks`: calls that worked fail, or what callers read is missing. `undecided`: that may be, and
 * cannot be decided from the schemas. `review`: nothing fails, and people or models read or get something else. `safe`:
 * no caller notices.
 */
export type Effect = (typeof effects)[number];

/** One change between two snapshots. */
export interface ContractChange {
  /** What it means. */
  readonly effect: Effect;
  /** What has changed. */
  readonly kind: 'server' | 'tool' | 'resource' | 'template' | 'prompt';
  /** The name of the tool or prompt, the URI of the resource, the text of the template; empty for the server. */
  readonly name: string;
  /** The part that changed, such as `input.unit` or `description`; empty for all of it. */
  readonly place: string;
  /** What changed, in a sentence. */
  readonly text: string;
  /** Which callers it is about, such as "omit `unit`": completes "callers that …". */
  readonly callers?: string;
}

/** How two snapshots differ. */
export interface ContractComparison {
  /** The worst effect of all changes; `safe` if there is none. */
  readonly effect: Effect;
  /** All changes, the worst first. */
  readonly changes: readonly ContractChange[];
}

export type Subject = Pick<ContractChange, 'kind' | 'name'>;

export const worstOf = (all: readonly Effect[]): Effect => effects.find((one) => all.includes(one)) ?? 'safe';

export const quoted = (text: string): string => `\`${text}\``;
