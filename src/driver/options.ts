/** The options that the stores in SQLite and Redis have in common, and their checks. */
import type { Rule, Rules } from '../lib/options/option-rules.ts';
import {
  consentsRule,
  credentialsRule,
  type StoredConsentsOptions,
  type StoredCredentialsOptions,
} from './credentials/options.ts';
import { checkSecrets, type EncryptionOptions, encryptionRule } from './encryption/options.ts';

/** Options of `openSqliteStore` and `openRedisStore`. */
export interface SharedStoreOptions {
  /** Encrypts private values. Default: they are stored as they are. */
  readonly encryption?: EncryptionOptions;
  /** How credentials are stored. */
  readonly credentials?: StoredCredentialsOptions;
  /** How answers of users are stored. */
  readonly consents?: StoredConsentsOptions;
}

export const sharedRules: Rules & Record<keyof SharedStoreOptions, Rule> = {
  encryption: encryptionRule,
  credentials: credentialsRule,
  consents: consentsRule,
};

/** What the rules cannot check. `of` is the function that was called. */
export const checkShared = (of: string, { encryption }: SharedStoreOptions): void => checkSecrets(of, encryption);
