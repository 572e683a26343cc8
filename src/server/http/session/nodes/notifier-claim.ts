/** Which endpoint notifies a session: endpoints claim it, and of two concurrent claims one wins. */

export interface NotifierClaim {
  /** The number of earlier claims that the endpoint knew. */
  readonly after: number;
  readonly node: string;
}

export const unclaimed: NotifierClaim = { after: -1, node: '' };

export const nextClaim = ({ after }: NotifierClaim, node: string): NotifierClaim => ({ after: after + 1, node });

/** Both endpoints get the same result, in whichever order they receive the claims. */
export const outranks = (one: NotifierClaim, other: NotifierClaim): boolean =>
  one.after === other.after ? one.node > other.node : one.after > other.after;

export const isSameClaim = (one: NotifierClaim, other: NotifierClaim): boolean =>
  one.after === other.after && one.node === other.node;

/** A claim as fields of a session record. */
export const claimFields = ({ after, node }: NotifierClaim): { readonly holder: string; readonly claims: string } => ({
  holder: node,
  claims: String(after),
});

export const claimOf = ({ holder, claims }: Readonly<Record<string, string>>): NotifierClaim =>
  holder === undefined ? unclaimed : { after: Number(claims ?? 0), node: holder };
