/** The names of keys. All that belongs to a partition has one hash tag, so that it is in one slot of a cluster. */
import { encodeText } from '../../driver/unfit-texts.ts';

/** The first part of all keys. */
export const layout = 'tn2';

/** The version of the data that this code reads and writes. Raise it where older code would misread what is written. */
export const dataVersion = 2;

export interface EngineKeys {
  /** A hash with the epoch and the version of the data. */
  readonly store: string;
  /** What a store of the layout before this one always has. */
  readonly earlier: string;
  /** What the keys of a partition begin with. */
  readonly partition: (name: string) => string;
  /** The furthest time that was seen: one for all, or in a cluster one for each partition. */
  readonly clock: (partition: string) => string;
  readonly topic: (topic: string) => string;
}

/** Keys with a prefix, so that several servers can share a Redis. */
export function engineKeys(prefix: string, isCluster: () => boolean): EngineKeys {
  const start = `${prefix}${layout}:`;
  const partition = (name: string): string => `${start}{${tagOf(encodeText(name))}}`;
  return {
    store: `${start}store`,
    earlier: `${prefix}tn1:epoch`,
    partition,
    clock: (name) => (isCluster() ? `${partition(name)}clock` : `${start}clock`),
    topic: (topic) => `${start}bus:${encodeText(topic)}`,
  };
}

/** A hash tag ends at the first brace, and an empty one does not count. */
const tagOf = (name: string): string => (name === '' ? '%' : name.replace(/[%{}]/g, encodeURIComponent));
