/** The options of `credentialsFolder`, and the limit that is fixed. */
import type { Rule } from '../../lib/options/option-rules.ts';

/**
 * The options of `credentialsFolder()`.
 * @area credentials
 * @of `credentialsFolder`
 */
export interface CredentialsFolderOptions {
  /**
   * The folder of the files; it is created for this user alone.
   * @default computed `tenon/credentials` in the configuration folder of the user: `$XDG_CONFIG_HOME` or `~/.config`, on
   * Windows `%LOCALAPPDATA%`
   * @rule folderPath
   */
  readonly folder?: string;
  /**
   * Stored credentials in files.
   * @default 10,000
   * @beyond no new one is stored
   * @code store-failed
   */
  readonly maxEntries?: number;
}

/**
 * How long `lock` of a store of credentials waits.
 * @limit CredentialsFolderOptions.lockTimeoutMs
 * @beyond the call fails
 * @code timeout
 */
export const lockTimeoutMs = 300_000;

export const folderPath: Rule = {
  holds: (value) => typeof value === 'string' && value !== '',
  must: 'be the path of a folder',
};
