/** The interface of a store of answers that a user gave, so that the same question is not asked again. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** An answer that is remembered, with everything that it holds for: a question that differs in any of it is asked again. */
export interface StoredConsent {
  /** The key of the principal that answered; empty without one. */
  readonly principal: string;
  /** The name of the server in the host. */
  readonly server: string;
  /** The SHA-256 of what the server is: its command or URL, and the name it gives itself. */
  readonly identity: string;
  /** What was asked about, such as `tool`. */
  readonly type: string;
  /** The name or URI of it on the server. */
  readonly name: string;
  /** The SHA-256 of its definition. */
  readonly definition: string;
  /** The rule of the policy that asked; empty without one. */
  readonly rule: string;
  /** The SHA-256 of the arguments, if the answer holds for them only; else empty. */
  readonly arguments: string;
  /** The SHA-256 of all that was shown to the user. */
  readonly shown: string;
  /** When the user answered, as `Date.now()` gives it. */
  readonly answeredAt: number;
  /** When the answer ends, as `Date.now()` gives it. */
  readonly expiresAt: number;
}

/** Where a host stores answers that outlive it. `consentsFolder` makes one, and stores have one as `consents`. */
export interface ConsentStore {
  /** The answer of a key, if there is one. */
  read(key: string): MaybePromise<StoredConsent | undefined>;
  /** Stores an answer, or deletes it where it is `undefined`. */
  write(key: string, consent: StoredConsent | undefined): MaybePromise<void>;
}
