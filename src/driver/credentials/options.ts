/** The options `credentials` and `consents` of stores, and their checks. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { count, duration, group, type Rule, type Rules } from '../../lib/options/option-rules.ts';

/** How credentials are stored. */
export interface StoredCredentialsOptions {
  /** Stored credentials; beyond it, no new one is stored (`store-failed`). Default 10,000. */
  readonly maxEntries?: number;
  /** How long `lock` waits; beyond it, it rejects with `timeout`. Default 5 minutes. */
  readonly lockTimeoutMs?: number;
  /** How long the lock of a process that died, or lost the store, stays taken. Others wait for it. Default 30 seconds. */
  readonly lockLeaseMs?: number;
}

/** How answers of users are stored. */
export interface StoredConsentsOptions {
  /** Stored answers that have not expired; beyond it, no new one is stored (`store-failed`). Default 10,000. */
  readonly maxEntries?: number;
}

const credentialRules: Rules & Record<keyof StoredCredentialsOptions, Rule> = {
  maxEntries: count,
  lockTimeoutMs: duration,
  lockLeaseMs: duration,
};
const consentRules: Rules & Record<keyof StoredConsentsOptions, Rule> = { maxEntries: count };

export const credentialsRule: Rule = group(credentialRules);
export const consentsRule: Rule = group(consentRules);

export const defaultMaxEntries = 10_000;

/** `option` is `credentials` or `consents`. */
export const noRoom = (option: string, maxEntries: number): TenonError =>
  new TenonError('store-failed', `Nothing was stored: the store has ${maxEntries} ${option}.`, {
    hint: `Delete those that are not used, or raise ${option}.maxEntries.`,
    details: { limit: `${option}.maxEntries` },
  });
