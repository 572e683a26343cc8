/** The capabilities that a server declared. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { ServerCapabilities } from '../../protocol/generated/types/records.ts';
import type { Fields } from '../../protocol/neutral.ts';

/** The rest of the path is the name of one feature, which may contain dots. */
const experimental = 'experimental.';

/** Whether a capability is declared, by its path; `false` counts as not declared. */
export function declares(capabilities: ServerCapabilities, path: string): boolean {
  const keys = path.startsWith(experimental) ? ['experimental', path.slice(experimental.length)] : path.split('.');
  const found = keys.reduce<unknown>((inner, key) => (inner as Fields | undefined)?.[key], capabilities);
  return found !== undefined && found !== false && found !== null;
}

/** Throws `capability-not-supported` if the server did not declare it. */
export function need(capabilities: ServerCapabilities, path: string): void {
  if (declares(capabilities, path)) return;
  throw new TenonError('capability-not-supported', `The server did not declare ${path}.`, {
    details: { capability: path },
  });
}
