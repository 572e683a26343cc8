/** Answers of the user in files that only this user can read, shared by all processes of the user. */
import { readOptions } from '../../lib/options/read-options.ts';
import type { ConsentStore } from '../../store/consents/consent-store.ts';
import { consentsIn } from '../../store/consents/stored-consents.ts';
import { consentsFolderOptions } from './consents-folder.table.ts';
import { credentialsFolder, defaultFolder } from './credentials-folder.ts';

/**
 * The options of `consentsFolder()`.
 * @area host
 * @of `consentsFolder`
 */
export interface ConsentsFolderOptions {
  /**
   * The folder of the files; it is created for this user alone.
   * @default computed `tenon/consents` beside `tenon/credentials`
   */
  readonly folder?: string;
  /**
   * Stored answers.
   * @default 10,000
   * @beyond no new one is stored; the user is asked
   * @code store-failed
   */
  readonly maxEntries?: number;
}

/**
 * Stores answers of the user in files: one for each question, in a folder that only this user can read and write.
 *
 * @example
 * ```ts
 * const host = createHost({ servers, policy: 'policy.yaml', consent, consentStore: consentsFolder() });
 * ```
 */
export function consentsFolder(options: ConsentsFolderOptions = {}): ConsentStore {
  const otherNames = { path: 'folder', directory: 'folder' };
  const { folder, maxEntries } = readOptions('consentsFolder()', consentsFolderOptions, options, otherNames);
  return consentsIn(credentialsFolder({ folder: folder ?? defaultFolder('consents'), maxEntries }));
}
