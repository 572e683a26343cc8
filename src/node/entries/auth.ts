/** Authorization on Node: everything that runs anywhere, tokens in files, and sign-in from a terminal. */

export * from '../../auth/index.ts';
export { credentialsFolder } from '../credentials/credentials-folder.ts';
export type { CredentialsFolderOptions } from '../credentials/folder-options.ts';
export type { TerminalSignInOptions } from '../credentials/sign-in-options.ts';
export { terminalSignIn } from '../credentials/terminal-sign-in.ts';
export { tokenFile } from '../credentials/token-file.ts';
