/** Signing keys of the server: one row, which any node renews by compare and swap, and all of them follow. */
import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import { runInBackground } from '../../lib/values/maybe-promise.ts';
import {
  type KeySchedule,
  nextChangeAt,
  nextKeyAt,
  type StoredKey,
  signingKey,
  withKey,
  withoutRetired,
} from './key-schedule.ts';
import type { SealedRows } from './sealed-rows.ts';

/** The keys of a moment. */
export interface CurrentKeys {
  /** For `jwks` of oidc-provider: private keys. The first one signs. */
  readonly keys: readonly JWK[];
  /** The `kid` of the one that signs. */
  readonly kid: string;
}

export interface SigningKeys {
  current(): CurrentKeys;
  close(): void;
}

export interface SigningKeySettings {
  readonly rows: SealedRows;
  readonly schedule: KeySchedule;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly deadlines: Deadlines;
  /** Called when another key signs or the published ones are others. */
  readonly onChange: (keys: CurrentKeys) => void;
  /** Called if the store fails in the background. It is tried again. */
  readonly onError: (cause: unknown) => void;
}

const kind = 'SigningKeys';
const id = 'all';

/** Nodes look at least so often: another one may have made a key. */
const lookMs = 3_600_000;

/** After a failure. */
const retryMs = 60_000;

const maxAttempts = 100;

/** Reads the keys, or makes the first one. */
export async function createSigningKeys(settings: SigningKeySettings): Promise<SigningKeys> {
  const { schedule, now, deadlines, onChange, onError } = settings;
  // Written again at each start: then a secret that was replaced can be removed.
  let stored = await renewed(settings, true);
  let given = keysOf(stored, now());
  let isClosed = false;
  let next: Deadline = lookIn(timeToNext());

  function timeToNext(): number {
    return Math.min(lookMs, Math.max(1, nextChangeAt(stored, now(), schedule) - now()));
  }

  function lookIn(ms: number): Deadline {
    // It must not keep a process alive.
    return deadlines.add(ms, () => runInBackground(look, onError), false);
  }

  async function look(): Promise<void> {
    let ms = retryMs;
    try {
      stored = await renewed(settings);
      ms = timeToNext();
    } finally {
      if (!isClosed) {
        next = lookIn(ms);
        swap();
      }
    }
  }

  /** Also without the store: what is due to sign was published long ago. */
  function swap(): void {
    const found = keysOf(stored, now());
    if (JSON.stringify(found) === JSON.stringify(given)) return;
    given = found;
    onChange(found);
  }

  return {
    current: () => given,
    close() {
      isClosed = true;
      deadlines.cancel(next);
    },
  };
}

/** The list as it should be now: read, and changed if a change is due that no other node has made. */
async function renewed({ rows, schedule, now }: SigningKeySettings, isWritten = false): Promise<readonly StoredKey[]> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const row = await rows.read<readonly StoredKey[]>(kind, id);
    const moment = now();
    const found = row?.value ?? [];
    const left = withoutRetired(found, moment, schedule);
    const keys = nextKeyAt(left, schedule) <= moment ? withKey(left, await newKey(), moment, schedule) : left;
    const isSame = row !== undefined && keys.length === found.length && keys.at(-1) === found.at(-1);
    if (isSame && (!isWritten || attempt > 0)) return found;
    const when = row === undefined ? 'absent' : { version: row.version };
    if (await rows.write(kind, id, keys, { when })) return keys;
    if (row === undefined && (await rows.read(kind, id)) === undefined) throw otherSecrets();
  }
  throw new TenonError('store-busy', 'The signing keys could not be renewed: others change them all the time.', {
    hint: 'Try again.',
  });
}

/** The row exists, and cannot be opened. A node that went on would refuse the tokens of all others. */
const otherSecrets = (): TenonError =>
  new TenonError('store-key-missing', 'The signing keys in the store are sealed with a secret that was not passed.', {
    hint: 'Pass the secrets that the other nodes have in secrets of authorizationServer(), after a rotation also the older ones.',
    details: { what: 'signing keys' },
  });

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: randomBytes(8).toString('hex') };
}

function keysOf(stored: readonly StoredKey[], now: number): CurrentKeys {
  const signs = signingKey(stored, now)?.jwk;
  const keys = stored.map(({ jwk }) => jwk).toSorted((one, other) => Number(other === signs) - Number(one === signs));
  return { keys, kid: signs?.kid ?? '' };
}
