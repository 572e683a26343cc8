/** Functions for untrusted input: paths, URLs, arguments of programs, SQL, and secrets and control characters in logs. */
export { escapeControls } from '../lib/text/control-characters.ts';
export { type ArgumentValue, commandArguments } from './command-arguments.ts';
export { type MaskOptions, maskSecrets } from './mask-secrets.ts';
export type { OpenedFile } from './paths/open-inside.ts';
export { createPathRoot, type PathRoot, type PathRootOptions } from './paths/path-root.ts';
export { type SqlArgument, type SqlStatement, type SqlValue, sql } from './sql.ts';
export type { LookupAddresses } from './urls/connections.ts';
export { createUrlGuard, type UrlGuard, type UrlGuardOptions } from './urls/url-guard.ts';
