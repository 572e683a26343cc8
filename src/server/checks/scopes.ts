/** Rejects scopes that no access token can have, when the server is created. */
import { refused } from './definition-error.ts';

/** A scope of RFC 6749, 3.3: printable characters without spaces, quotes and backslashes. */
const scope = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export const isScope = (value: unknown): value is string => typeof value === 'string' && scope.test(value);

/** Throws if the scopes of a definition are set and are not a list of scopes. None is the same as absent. */
export function checkScopes(place: string, scopes: unknown): readonly string[] | undefined {
  if (scopes === undefined) return undefined;
  if (!Array.isArray(scopes))
    throw refused(`${place}.scopes is not a list.`, "Write scopes: ['files:write'].", `${place}.scopes`);
  const wrong = scopes.findIndex((one) => !isScope(one));
  if (wrong !== -1)
    throw refused(
      `${place}.scopes[${wrong}]: ${JSON.stringify(scopes[wrong])} is not a scope.`,
      'Use printable ASCII characters without spaces, quotes and backslashes; write several scopes as several texts.',
      `${place}.scopes`,
    );
  return scopes.length === 0 ? undefined : [...new Set(scopes as string[])];
}
