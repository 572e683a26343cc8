/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, ms, type Table, table } from '../../lib/options/option-table.ts';
import { type HttpPortOptions, targetCertificates } from './port-options.ts';

export const httpPortOptions = /* @__PURE__ */ table(
  () =>
    ({
      ca: targetCertificates,
      maxConnections: count(256),
      connectTimeoutMs: ms(10_000, { most: Number.POSITIVE_INFINITY }),
    }) satisfies Table<HttpPortOptions>,
);
