/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { type Table, table, withDefault } from '../lib/options/option-table.ts';
import { type ApiKeyOptions, type BearerTokenOptions, headerName, tokenMs } from './bearer-or-api-key-options.ts';

export const bearerTokenOptions = /* @__PURE__ */ table(
  () =>
    ({
    }) satisfies Table<BearerTokenOptions>,
  {
    timeoutMs: tokenMs,
  },
);

export const apiKeyOptions = /* @__PURE__ */ table(
  () =>
    ({
      header: withDefault(headerName, 'x-api-key'),
    }) satisfies Table<ApiKeyOptions>,
  {
    timeoutMs: tokenMs,
  },
);
