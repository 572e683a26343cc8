/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { maxBatch, maxDepth } from '../../jsonrpc/limits.ts';
import { fixed } from '../../lib/options/fixed-limits.ts';
import { callback, count, flag, group, ms, oneOf, type Table } from '../../lib/options/option-table.ts';
import { principalRule } from '../../ports/principal.ts';
import { type AcceptOptions, type ConnectionLimits, type ConnectionTimeouts, droppedCounts } from './accept-options.ts';

export const connectionLimits = {
  maxMessageChars: count(),
  maxConcurrentCalls: count(10_000),
  [fixed]: {
    maxDepth,
    maxBatch,
    maxValues: '100,000 for servers and 1,000,000 for clients, in proportion more where limits.maxMessageChars is raised',
  },
} as const satisfies Table<ConnectionLimits>;

export const connectionTimeouts = {
  inputMs: ms(600_000),
} as const satisfies Table<ConnectionTimeouts>;

export const acceptOptions = {
  strict: flag(false),
  counts: droppedCounts,
  limits: group(connectionLimits),
  timeouts: group(connectionTimeouts),
  onWarning: callback,
  principal: principalRule,
  authenticate: callback,
  tap: callback,
  transport: oneOf(['pipe', 'tcp']),
  replay: flag(),
  now: callback,
} as const satisfies Table<AcceptOptions>;
