/** Items that servers have listed, by the names for all servers. */
import { nameOf, type Origin, originOf } from './names.ts';

/** An item of a list as the host shows it: under a name of its own among all servers. */
export type Named<T> = T & Origin;

export interface Catalogue<T extends { readonly name: string }> {
  /** Takes the place of what the server listed before. A name comes once, however often a server lists it. */
  admit(server: string, items: readonly T[]): Promise<Named<T>[]>;
  /** The origin of a name, as far as it is known without a list. */
  origin(name: string): Origin | undefined;
  /** The item as the server listed it last. */
  item(name: string): T | undefined;
}

interface Entry<T> extends Origin {
  readonly item: T;
}

export function createCatalogue<T extends { readonly name: string }>(): Catalogue<T> {
  const entries = new Map<string, Entry<T>>();
  return {
    async admit(server, items) {
      const names = await Promise.all(items.map((item) => nameOf({ server, originalName: item.name })));
      for (const [name, entry] of entries) if (entry.server === server) entries.delete(name);
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
