/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { flag, group, groupOr, groupOrOff, required, type Table, table, text, texts } from '../../lib/options/option-table.ts';
import { searchOptions } from '../options.table.ts';
import { fileApiKeys, type FileConnect, fileImpliedScopes, fileIssuer, fileIssuers, fileLimits, type FileProtect, fileUpstreams, type GatewayFile, listenAt, proxyAddresses, publicAddress } from './options.ts';

export const fileProtect = /* @__PURE__ */ table(
  () =>
    ({
      issuer: fileIssuer,
      issuers: fileIssuers,
      audiences: texts(),
      scopes: texts(),
      impliedScopes: fileImpliedScopes,
      rolesClaim: text(),
      claims: texts(),
      apiKeys: fileApiKeys,
    }) satisfies Table<FileProtect>,
);

export const fileConnect = /* @__PURE__ */ table(
  () =>
    ({
      clientId: required(text()),
      secret: required(text()),
      issuer: fileIssuer,
    }) satisfies Table<FileConnect>,
);

export const gatewayFile = /* @__PURE__ */ table(
  () =>
    ({
      listen: listenAt,
      publicUrl: publicAddress,
      trustedProxies: proxyAddresses,
      protect: group(fileProtect),
      store: text(),
      secretsFile: text(),
      secrets: texts(),
      policy: text(),
      audit: text(),
      lock: text(),
      limits: fileLimits,
      search: groupOr([true, false], searchOptions, false),
      telemetry: flag(false),
      admin: listenAt,
      connect: groupOrOff(fileConnect),
      allowedVariables: texts(),
      upstreams: fileUpstreams,
      mcpServers: fileUpstreams,
    }) satisfies Table<GatewayFile>,
);
