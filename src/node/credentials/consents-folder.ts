/** Answers of the user in files that only this user can read, shared by all processes of the user. */
import { checkOptions, count, type Rule, type Rules } from '../../lib/options/option-rules.ts';
import type { ConsentStore } from '../../store/consents/consent-store.ts';
import { consentsIn } from '../../store/consents/stored-consents.ts';
import { credentialsFolder, defaultFolder } from './credentials-folder.ts';

/** The options of `consentsFolder()`. */
export interface ConsentsFolderOptions {
  /** The folder of the files; it is created for this user alone. Default `tenon/consents` beside `tenon/credentials`. */
  readonly folder?: string;
  /** Stored answers; beyond it, no new one is stored (`store-failed`). Default 10,000. */
  readonly maxEntries?: number;
}

const rules: Rules & Record<keyof ConsentsFolderOptions, Rule> = {
  folder: { holds: (value) => typeof value === 'string' && value !== '', must: 'be the path of a folder' },
  maxEntries: count,
};

/**
 * Stores answers of the user in files: one for each question, in a folder that only this user can read and write.
 *
 * @example
 * ```ts
 * const host = createHost({ servers, policy: 'policy.yaml', consent, consentStore: consentsFolder() });
 * ```
 */
export function consentsFolder(options: ConsentsFolderOptions = {}): ConsentStore {
  checkOptions('consentsFolder()', options, rules, 'invalid-argument', { path: 'folder', directory: 'folder' });
  const { folder = defaultFolder('consents'), maxEntries } = options;
  return consentsIn(credentialsFolder({ folder, ...(maxEntries !== undefined && { maxEntries }) }));
}
