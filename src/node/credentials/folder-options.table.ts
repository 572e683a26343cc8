/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, type Table, table } from '../../lib/options/option-table.ts';
import { type CredentialsFolderOptions, folderPath, lockTimeoutMs } from './folder-options.ts';

export const credentialsFolderOptions = /* @__PURE__ */ table(
  () =>
    ({
      folder: folderPath,
      maxEntries: count(10_000),
    }) satisfies Table<CredentialsFolderOptions>,
  {
    lockTimeoutMs,
  },
);
