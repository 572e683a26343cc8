/** The names of keys. What one script uses has one hash tag, so that it is in one slot of a cluster. */

/** The first part of all keys. */
export const layout = 'tn1';

/** The version of the data that this code reads and writes. Raise it where older code would misread what is written. */
export const dataVersion = 1;

export interface RedisKeys {
  readonly epoch: string;
  /** The marker of an encrypted store, in the slot of the epoch. */
  readonly marker: string;
  /** The version of the data, in the slot of the epoch. */
  readonly version: string;
  /** The record of a session, and its logs. */
  readonly session: (key: string) => readonly [record: string, streams: string, events: string, total: string];
  readonly used: (key: string) => string;
  /** All runs of an owner are in one slot; runs without an owner each in their own. */
  readonly runs: (owner: string, key: string) => readonly [rows: string, live: string, texts: string, order: string];
  /** All in one slot of a cluster: a call takes of several at once. */
  readonly bucket: (key: string) => string;
  readonly slots: (key: string) => string;
  readonly nodes: string;
  readonly topic: (topic: string) => string;
  /** The tasks of one shard, all in one slot. */
  readonly tasks: (shard: string) => TaskKeys;
  readonly credentials: string;
  readonly credentialLock: (name: string) => string;
  /** The answers, and when they expire. */
  readonly consents: readonly [texts: string, expiry: string];
}

export interface TaskKeys {
  readonly task: (id: string) => string;
  readonly journal: (id: string) => string;
  /** The tasks of an owner, by number. */
  readonly owner: (owner: string) => string;
  /** Those of an owner that are not over. */
  readonly live: (owner: string) => string;
  readonly key: (owner: string, name: string) => string;
  /** By the moment from which workers may take them. */
  readonly claimable: (kind: string) => string;
  /** By the moment at which they end by themselves. */
  readonly ends: string;
  /** Those that are over, by the moment at which they are deleted. */
  readonly over: string;
  readonly count: string;
}

/** Keys with a prefix, so that several servers can share a Redis. A hash tag ends at the first brace: names are encoded. */
export function keysWith(prefix: string): RedisKeys {
  const start = `${prefix}${layout}:`;
  // JSON escapes halves of characters, which encodeURIComponent refuses.
  const encoded = (name: string): string => encodeURIComponent(JSON.stringify(name).slice(1, -1));
  const tag = (kind: string, name: string): string => `${start}{${kind}:${encoded(name)}}`;
  return {
    epoch: `${start}epoch`,
    marker: `{${start}epoch}:marker`,
    version: `{${start}epoch}:version`,
    session(key) {
      const name = tag('s', key);
      return [name, `${name}:streams`, `${name}:events`, `${name}:total`];
    },
    used: (key) => tag('o', key),
    runs(owner, key) {
      const name = owner === '' ? tag('k', key) : tag('r', owner);
      return [`${name}:runs`, `${name}:live`, `${name}:texts`, `${name}:order`];
    },
    bucket: (key) => `${start}{limits}:bucket:${key}`,
    slots: (key) => `${start}{limits}:slots:${key}`,
    nodes: `${start}nodes`,
    topic: (topic) => `${start}bus:${topic}`,
    tasks(shard) {
      const name = `${start}{t:${shard}}`;
      return {
        task: (id) => `${name}:task:${id}`,
        journal: (id) => `${name}:journal:${id}`,
        owner: (owner) => `${name}:owner:${owner}`,
        live: (owner) => `${name}:live:${owner}`,
        key: (owner, key) => `${name}:key:${JSON.stringify([owner, key])}`,
        claimable: (kind) => `${name}:claimable:${kind}`,
        ends: `${name}:ends`,
        over: `${name}:over`,
        count: `${name}:count`,
      };
    },
    credentials: `${start}{credentials}`,
    credentialLock: (name) => `${start}{credentials}:lock:${encoded(name)}`,
    consents: [`${start}{consents}`, `${start}{consents}:expiry`],
  };
}
