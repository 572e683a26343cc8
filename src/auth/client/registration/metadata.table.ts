/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { required, type Table, table, text } from '../../../lib/options/option-table.ts';
import { type ClientMetadata, type ClientMetadataDocumentOptions, httpsUrl, metadataUrl, redirectUriList } from './metadata.ts';

export const clientMetadata = /* @__PURE__ */ table(
  () =>
    ({
      name: text('MCP client'),
      uri: httpsUrl,
      logoUri: httpsUrl,
      softwareId: text(),
      softwareVersion: text(),
    }) satisfies Table<ClientMetadata>,
);

export const clientMetadataDocumentOptions = /* @__PURE__ */ table(
  () =>
    ({
      name: text('MCP client'),
      uri: httpsUrl,
      logoUri: httpsUrl,
      softwareId: text(),
      softwareVersion: text(),
      url: required(metadataUrl),
      redirectUris: required(redirectUriList),
    }) satisfies Table<ClientMetadataDocumentOptions>,
);
