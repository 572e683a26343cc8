/** News of change: published once, heard by every connection, told by each in its own way. */

export type Change =
  | { readonly kind: 'tools' | 'resources' | 'prompts' }
  | { readonly kind: 'resource'; readonly uri: string }
  /** What an extension tells; `extension` is what a client has to have declared, if anything. */
  | {
      readonly kind: 'news';
      readonly extension: string | undefined;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
    };

export interface ChangeNotifier {
  publish(change: Change): void;
  /** Gives back how to stop listening. */
  listen(hear: (change: Change) => void): () => void;
}

export function createChangeNotifier(): ChangeNotifier {
  const listeners = new Set<(change: Change) => void>();
  return {
    publish(change) {
      for (const hear of listeners) hear(change);
    },
    listen(hear) {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}

/** Whether a resource is the one that is watched, or lies below it. */
export const concerns = (watched: string, uri: string): boolean =>
  uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`);
