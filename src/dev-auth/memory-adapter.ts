/** Stores what oidc-provider has to remember: in memory, for one server, with a limit and expiry. */

type Payload = Record<string, unknown> & { grantId?: string; uid?: string; userCode?: string; consumed?: number };

interface Entry {
  readonly payload: Payload;
  readonly expiresAt: number;
}

/** The interface that oidc-provider asks of a model's storage. */
interface Adapter {
  upsert(id: string, payload: Payload, expiresIn?: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  findByUserCode(userCode: string): Promise<Payload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

/** Returns the `adapter` option of oidc-provider. All models share the limit; beyond it the oldest entries are dropped. */
export function createMemoryAdapter(maxEntries: number, now: () => number = Date.now): (model: string) => Adapter {
  // In the order of their last change.
  const entries = new Map<string, Entry>();

  function read(key: string): Payload | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry.expiresAt > now()) return entry?.payload;
    entries.delete(key);
    return undefined;
  }

  function write(key: string, entry: Entry): void {
    entries.delete(key);
    entries.set(key, entry);
    if (entries.size <= maxEntries) return;
    for (const [each, { expiresAt }] of entries) if (expiresAt <= now()) entries.delete(each);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) return;
      entries.delete(oldest);
    }
  }

  return (model) => {
    const keyOf = (id: string): string => `${model}:${id}`;
    // A search through all entries: few are stored, and only sessions and device codes are found so.
    const findWhere = (holds: (payload: Payload) => boolean): Payload | undefined => {
      for (const [key, { payload }] of entries) if (key.startsWith(`${model}:`) && holds(payload)) return read(key);
      return undefined;
    };
    return {
      async upsert(id, payload, expiresIn = Number.POSITIVE_INFINITY) {
        write(keyOf(id), { payload, expiresAt: now() + expiresIn * 1000 });
      },
      find: async (id) => read(keyOf(id)),
      findByUid: async (uid) => findWhere((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => findWhere((payload) => payload.userCode === userCode),
      async consume(id) {
        const payload = read(keyOf(id));
        if (payload !== undefined) payload.consumed = Math.floor(now() / 1000);
      },
      async destroy(id) {
        entries.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
      },
    };
  };
}
