/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { required, type Table, table } from '../../lib/options/option-table.ts';
import { type HttpTarget, targetAuth, targetHeaders, targetUrl } from './target.ts';

export const httpTarget = /* @__PURE__ */ table(
  () =>
    ({
      url: required(targetUrl),
      headers: targetHeaders,
      auth: targetAuth,
    }) satisfies Table<HttpTarget>,
);
