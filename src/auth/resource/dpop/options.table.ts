/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { flag, oneOf, type Table, table } from '../../../lib/options/option-table.ts';
import { type DpopOptions, nonceSecrets, proofUrls, usedProofs } from './options.ts';

export const dpopOptions = /* @__PURE__ */ table(
  () =>
    ({
      mode: oneOf(['required', 'optional']),
      nonces: flag(),
      secrets: nonceSecrets,
      once: usedProofs,
      urls: proofUrls,
    }) satisfies Table<DpopOptions>,
);
