/** Changes on a server as a client reports them. */

export type Change =
  | { readonly kind: 'tools' | 'resources' | 'prompts' }
  | { readonly kind: 'resource'; readonly uri: string };

/** What to hear of: lists by name, resources by URI. */
export interface ChangeFilter {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  readonly resources?: boolean;
  readonly uris?: readonly string[];
}

export interface Subscription extends AsyncIterable<Change>, AsyncDisposable {
  /** What the server will tell of; it may be less than was asked for. */
  readonly acknowledged: ChangeFilter;
  /** Hears of something else from now on; what was heard before is given up when the new is there. */
  update(filter: ChangeFilter): Promise<void>;
  close(): Promise<void>;
}
