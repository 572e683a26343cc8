/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, flag, type Table, table, text } from '../../lib/options/option-table.ts';
import { auditDate, auditKinds, type AuditQuery, type RedactionQuery } from './search.ts';

export const redactionQuery = /* @__PURE__ */ table(
  () =>
    ({
      kinds: auditKinds,
      who: text(),
      what: text(),
      since: auditDate,
      until: auditDate,
      from: count(undefined, { least: 0 }),
    }) satisfies Table<RedactionQuery>,
);

export const auditQuery = /* @__PURE__ */ table(
  () =>
    ({
      kinds: auditKinds,
      who: text(),
      what: text(),
      since: auditDate,
      until: auditDate,
      from: count(undefined, { least: 0 }),
      includePrivate: flag(false),
      maxRecords: count(1000),
    }) satisfies Table<AuditQuery>,
);
