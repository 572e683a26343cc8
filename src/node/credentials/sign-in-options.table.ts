/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { port } from '../../lib/options/option-rules.ts';
import { callback, flag, ms, type Table, table, withDefault } from '../../lib/options/option-table.ts';
import { callbackPath, type TerminalSignInOptions } from './sign-in-options.ts';

export const terminalSignInOptions = /* @__PURE__ */ table(
  () =>
    ({
      port: withDefault(port, 0),
      path: withDefault(callbackPath, '/callback'),
      timeoutMs: ms(300_000),
      openBrowser: flag(true),
      onUrl: callback,
    }) satisfies Table<TerminalSignInOptions>,
);
