/** A store, and the kinds of the rows that were written to it. */
import { createMemoryStore } from 'tenon/store';

export function countedStore() {
  const store = createMemoryStore();
  const kinds: string[] = [];
  const rows = store.authorizations;
  const write: typeof rows.write = (kind, ...rest) => {
    kinds.push(kind);
    return rows.write(kind, ...rest);
  };
  return { store: { ...store, authorizations: { ...rows, write } }, kinds };
}
