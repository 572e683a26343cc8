/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, ms, type Table } from '../../lib/options/option-table.ts';
import { type HttpPortOptions, targetCertificates } from './port-options.ts';

export const httpPortOptions = {
  ca: targetCertificates,
  maxConnections: count(256),
  connectTimeoutMs: ms(10_000, { most: Number.POSITIVE_INFINITY }),
} as const satisfies Table<HttpPortOptions>;
