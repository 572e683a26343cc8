/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, required, type Table, table } from '../../../lib/options/option-table.ts';
import { assertionRule, clientWithId, type DeviceCodeOptions, type EnterpriseManagedOptions, identityProvider, idTokenRule, type WorkloadIdentityOptions } from './options.ts';

export const deviceCodeOptions = /* @__PURE__ */ table(
  () =>
    ({
      onCode: callback,
    }) satisfies Table<DeviceCodeOptions>,
);

export const workloadIdentityOptions = /* @__PURE__ */ table(
  () =>
    ({
      assertion: required(assertionRule),
    }) satisfies Table<WorkloadIdentityOptions>,
);

export const enterpriseManagedOptions = /* @__PURE__ */ table(
  () =>
    ({
      idpIssuer: required(identityProvider),
      idpClient: required(clientWithId),
      idToken: required(idTokenRule),
    }) satisfies Table<EnterpriseManagedOptions>,
);
