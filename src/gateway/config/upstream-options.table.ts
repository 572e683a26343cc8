/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { flag, type Table, table, text, texts } from '../../lib/options/option-table.ts';
import { filterList } from '../../openapi/options.ts';
import { authSection, type FileOnly, httpAddress, transportType } from './upstream-options.ts';

export const fileOnly = /* @__PURE__ */ table(
  () =>
    ({
      openapi: text(),
      baseUrl: httpAddress,
      include: filterList,
      exclude: filterList,
      allowedNetworks: texts(),
      auth: authSection,
      type: transportType,
      disabled: flag(false),
    }) satisfies Table<FileOnly>,
);
