/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { required, type Table } from '../../lib/options/option-table.ts';
import { type HttpTarget, targetAuth, targetHeaders, targetUrl } from './target.ts';

export const httpTarget = {
  url: required(targetUrl),
  headers: targetHeaders,
  auth: targetAuth,
} as const satisfies Table<HttpTarget>;
