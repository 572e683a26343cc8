/** Authorization on Node: everything that runs anywhere, tokens in files, and sign-in from a terminal. */

export * from '../../auth/index.ts';
export { type CredentialsFolderOptions, credentialsFolder } from '../credentials/credentials-folder.ts';
export { type TerminalSignInOptions, terminalSignIn } from '../credentials/terminal-sign-in.ts';
export { tokenFile } from '../credentials/token-file.ts';
