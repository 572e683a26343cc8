/** How a store writes its private values: as they are, or encrypted. */
import { TenonError } from '../lib/errors/tenon-error.ts';

/** Where a value is stored: its kind, then its keys. A value that is encrypted for one path cannot be read at another. */
export type Path = readonly string[];

/** Turns private values into what is stored, and back. */
export interface Codec {
  /** Whether names that may be private are replaced as well. */
  readonly hidesNames: boolean;
  /** The text to store at a path. */
  seal(path: Path, text: string): string;
  /** The text that was stored at a path. Throws if it cannot be trusted. */
  open(path: Path, stored: string): string;
  /** What is stored instead of a name, the last part of the path: always the same for the same path. */
  name(path: Path): string;
}

/** What every encrypted text begins with; the version of its format is in it. */
export const sealedStart = 'tnenc1.';

/** For a store without keys: values are stored as they are. One that another process has encrypted is refused. */
export const plainCodec: Codec = {
  hidesNames: false,
  seal: (_path, text) => text,
  open(path, stored) {
    if (stored.startsWith(sealedStart)) throw keyMissing(kindOf(path));
    return stored;
  },
  name: (path) => path.at(-1) ?? '',
};

/** Only the kind is named: keys may have names of users or URLs in them. */
export const kindOf = ([kind = 'value']: Path): string => kind;

/** `what` was encrypted with a key that this process does not have. */
export const keyMissing = (what: string): TenonError =>
  new TenonError('store-key-missing', `A stored ${what} is encrypted with a key that was not passed.`, {
    hint: 'Pass the secret that the other processes use in encryption.keys; after a rotation also the older one.',
    details: { what },
  });

/** The path of the events of a stream. The number of an event is not in it: only the store knows it. */
export const eventPath = (session: string, stream: string): Path => ['event', session, stream];

/** The path of the note of a stream. */
export const notePath = (session: string, stream: string): Path => ['note', session, stream];

/** The path of the result of a run that may happen once. */
export const resultPath = (owner: string, key: string): Path => ['result', owner, key];
