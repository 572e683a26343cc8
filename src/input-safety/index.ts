/** Functions for untrusted input: paths, URLs, arguments of programs, SQL, and secrets and control characters in logs. */
export { escapeControls } from '../lib/text/control-characters.ts';
export { type ArgumentValue, commandArguments } from './command-arguments.ts';
export type { MaskOptions } from './mask-options.ts';
export { maskSecrets } from './mask-secrets.ts';
export type { OpenedFile } from './paths/open-inside.ts';
export type { PathRootOptions } from './paths/options.ts';
export { createPathRoot, type PathRoot } from './paths/path-root.ts';
export { type SqlArgument, type SqlStatement, type SqlValue, sql } from './sql.ts';
export type { LookupAddresses } from './urls/connections.ts';
export type { UrlGuardOptions } from './urls/options.ts';
export { createUrlGuard, type UrlGuard } from './urls/url-guard.ts';
