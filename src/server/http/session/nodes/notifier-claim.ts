/** Which endpoint tells a session of changes: each that wants to claims it, and of two that claim at once one yields. */

export interface Claim {
  /** How many were made before it, as far as its endpoint knew. */
  readonly after: number;
  readonly node: string;
}

/** Before anybody has claimed. */
export const unclaimed: Claim = { after: -1, node: '' };

export const nextClaim = ({ after }: Claim, node: string): Claim => ({ after: after + 1, node });

/** Both sides come to the same end, in whichever order they hear of each other. */
export const outranks = (one: Claim, other: Claim): boolean =>
  one.after === other.after ? one.node > other.node : one.after > other.after;

/** The fields by which a record says it. */
export const fieldsOfClaim = ({ after, node }: Claim): { readonly holder: string; readonly claims: string } => ({
  holder: node,
  claims: String(after),
});

export const claimOf = ({ holder, claims }: Readonly<Record<string, string>>): Claim =>
  holder === undefined ? unclaimed : { after: Number(claims ?? 0), node: holder };
