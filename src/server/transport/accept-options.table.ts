/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { maxBatch, maxDepth } from '../../jsonrpc/limits.ts';
import { callback, count, flag, group, ms, oneOf, type Table, table } from '../../lib/options/option-table.ts';
import { principalRule } from '../../ports/principal.ts';
import { serverCompatRule } from '../../protocol/dialects/compat-rule.ts';
import { type AcceptOptions, type ConnectionLimits, type ConnectionTimeouts, droppedCounts } from './accept-options.ts';

export const connectionLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxMessageChars: count(),
      maxConcurrentCalls: count(10_000),
    }) satisfies Table<ConnectionLimits>,
  {
    maxDepth,
    maxBatch,
    maxValues: '100,000 for servers and 1,000,000 for clients, in proportion more where limits.maxMessageChars is raised',
  },
);

export const connectionTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      inputMs: ms(600_000),
    }) satisfies Table<ConnectionTimeouts>,
);

export const acceptOptions = /* @__PURE__ */ table(
  () =>
    ({
      strict: flag(false),
      counts: droppedCounts,
      limits: group(connectionLimits),
      timeouts: group(connectionTimeouts),
      onWarning: callback,
      principal: principalRule,
      authenticate: callback,
      tap: callback,
      transport: oneOf(['pipe', 'tcp']),
      compat: serverCompatRule,
      replay: flag(),
      now: callback,
    }) satisfies Table<AcceptOptions>,
);
