/** Answers of the user in files that only this user can read, shared by all processes of the user. */
import { readOptions } from '../../lib/options/read-options.ts';
import type { ConsentStore } from '../../store/consents/consent-store.ts';
import { consentsIn } from '../../store/consents/stored-consents.ts';
import { credentialsFolder, defaultFolder, otherFolderNames } from './credentials-folder.ts';
import { consentsFolderOptions } from './folder-options.table.ts';
import type { ConsentsFolderOptions } from './folder-options.ts';

/**
 * Stores answers of the user in files: one for each question, in a folder that only this user can read and write.
 *
 * @example
 * ```ts
 * const host = createHost({ servers, policy: 'policy.yaml', consent, consentStore: consentsFolder() });
 * ```
 */
export function consentsFolder(options: ConsentsFolderOptions = {}): ConsentStore {
  const read = readOptions('consentsFolder()', consentsFolderOptions, options, otherFolderNames);
  const { folder = defaultFolder('consents'), maxEntries } = read;
  return consentsIn(credentialsFolder({ folder, maxEntries }));
}
