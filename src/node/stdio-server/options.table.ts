/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { maxBatch, maxDepth } from '../../jsonrpc/limits.ts';
import { logger } from '../../lib/options/option-rules.ts';
import { callback, count, flag, group, ms, type Table, table } from '../../lib/options/option-table.ts';
import { principalRule } from '../../ports/principal.ts';
import { serverCompatRule } from '../../protocol/dialects/compat-rule.ts';
import { defaultMaxQueuedChars } from '../pipe/pipe-writer.ts';
import { storeOrUrl } from '../service-store.ts';
import { readableStream, type ServeStdioOptions, type StdioLimits, type StdioTimeouts, writableStream } from './options.ts';

export const stdioLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxMessageChars: count(16_777_216),
      maxConcurrentCalls: count(10_000),
    }) satisfies Table<StdioLimits>,
  {
    maxDepth,
    maxBatch,
    maxValues: '100,000 for servers and 1,000,000 for clients, in proportion more where limits.maxMessageChars is raised',
    maxQueuedChars: defaultMaxQueuedChars,
  },
);

export const stdioTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      inputMs: ms(600_000),
      shutdownMs: ms(5000, { least: 0 }),
      pingIntervalMs: ms(),
      storeMs: ms(2000),
    }) satisfies Table<StdioTimeouts>,
);

export const serveStdioOptions = /* @__PURE__ */ table(
  () =>
    ({
      stdin: readableStream,
      stdout: writableStream,
      exitOnClose: flag(),
      strict: flag(false),
      authenticate: callback,
      principal: principalRule,
      store: storeOrUrl,
      limits: group(stdioLimits),
      timeouts: group(stdioTimeouts),
      compat: serverCompatRule,
      tap: callback,
      logger,
      onWarning: callback,
    }) satisfies Table<ServeStdioOptions>,
);
