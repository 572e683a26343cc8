/** Answers of the user in files that only this user can read, shared by all processes of the user. */
import { readOptions } from '../../lib/options/read-options.ts';
import type { ConsentStore } from '../../store/consent-store.ts';
import { consentsIn } from '../../store/parts/stored-consents.ts';
import { consentsFolderOptions } from './consents-options.table.ts';
import type { ConsentsFolderOptions } from './consents-options.ts';
import { credentialsFolder, defaultFolder } from './credentials-folder.ts';

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
