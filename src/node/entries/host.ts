/** The host on Node: everything that runs anywhere, servers that are commands, and files for policy, lock and consent. */

export type * from '../../host/index.ts';
export { createHost } from '../create-host.ts';
export { consentsFolder } from '../credentials/consents-folder.ts';
export type { ConsentsFolderOptions } from '../credentials/consents-options.ts';
export { listsFolder } from '../credentials/lists-folder.ts';
export type { ListsFolderOptions } from '../credentials/lists-options.ts';
export type { HostOptions, LockFileOptions } from '../host-options.ts';
