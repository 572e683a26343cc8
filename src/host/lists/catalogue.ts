/** Items that servers have listed, by their names in the host. */
import { nameOf, type Origin, originOf } from './names.ts';

/** An item of a list with a name that is unique in the host. */
export type Named<T> = T & Origin;

export interface Catalogue<T extends { readonly name: string }> {
  /** Replaces the items of the server. An item that the server lists twice is added once. */
  admit(server: string, items: readonly T[]): Promise<Named<T>[]>;
  /** The origin of a name, if it is known without a list. */
  origin(name: string): Origin | undefined;
  /** The item as the server last listed it. */
  item(name: string): T | undefined;
  /** Drops the items of a server that was removed. */
  forget(server: string): void;
}

interface Entry<T> extends Origin {
  readonly item: T;
}

export function createCatalogue<T extends { readonly name: string }>(): Catalogue<T> {
  const entries = new Map<string, Entry<T>>();
  const forget = (server: string): void => {
    for (const [name, entry] of entries) if (entry.server === server) entries.delete(name);
  };
  return {
    forget,
    async admit(server, items) {
      const names = await Promise.all(items.map((item) => nameOf({ server, originalName: item.name })));
      forget(server);
      return items.flatMap((item, n) => {
        const name = names[n] as string;
        // On a collision of digests the first item has the name.
        if (entries.has(name)) return [];
        entries.set(name, { server, originalName: item.name, item });
        return [{ ...item, name, server, originalName: item.name }];
      });
    },
    origin: (name) => entries.get(name) ?? originOf(name),
    item: (name) => entries.get(name)?.item,
  };
}
