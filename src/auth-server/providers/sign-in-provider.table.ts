/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, required, type Table, table, text } from '../../lib/options/option-table.ts';
import { providerEndpoints, providerIssuer, providerName, providerParameters, providerScopes, rolesByGroup, settingHints, type SignInProvider } from './sign-in-provider.ts';

export const signInProvider = /* @__PURE__ */ table(
  () =>
    ({
      name: required(providerName),
      title: text(),
      clientId: required(text()),
      clientSecret: required(text()),
      issuer: providerIssuer,
      endpoints: providerEndpoints,
      scopes: providerScopes,
      parameters: providerParameters,
      user: callback,
      roles: rolesByGroup,
      settings: settingHints,
    }) satisfies Table<SignInProvider>,
);
