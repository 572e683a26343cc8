/** Checks a sign-in provider once, at start: every wrong setting that can be seen without the provider. */
import { optionError, wrong } from '../../lib/options/option-rules.ts';
import { readOptions } from '../../lib/options/read-options.ts';
import { signInProvider } from './sign-in-provider.table.ts';
import type { SignInProvider } from './sign-in-provider.ts';

/** Throws `invalid-argument` for the first wrong option. `of` is the function that was called. */
export function readProvider(of: string, provider: SignInProvider): SignInProvider {
  const read = readOptions(of, signInProvider, provider);
  const { issuer, endpoints, user, scopes } = read;
  if ((issuer === undefined) === (endpoints === undefined))
    throw optionError(of, {
      place: 'issuer',
      text: issuer === undefined ? 'issuer is missing.' : 'issuer and endpoints are both set.',
      hint: 'Set issuer for a provider with OpenID Connect, and endpoints for one without it.',
    });
  if (endpoints !== undefined && user === undefined)
    throw wrong(of, 'user', 'be a function that reads the user from the API of the provider: it has no ID tokens');
  if (issuer !== undefined && scopes !== undefined && !scopes.includes('openid'))
    throw wrong(of, 'scopes', "contain 'openid': without it the provider sends no ID token");
  return read;
}
