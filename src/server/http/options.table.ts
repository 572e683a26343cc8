/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { maxBatch, maxDepth } from '../../jsonrpc/limits.ts';
import { logger } from '../../lib/options/option-rules.ts';
import { callback, count, flag, group, groupOr, ms, type Table, table } from '../../lib/options/option-table.ts';
import { serverCompatRule } from '../../protocol/dialects/compat-rule.ts';
import { storeRule } from '../kernel/store-check.ts';
import { allowedHosts, allowedOrigins, trustedProxies } from './admission/admission-rules.ts';
import { type HttpLimits, type HttpOptions, type HttpTimeouts, maxStreamChars, maxStreams, type SessionOptions } from './options.ts';

export const sessionOptions = /* @__PURE__ */ table(
  () =>
    ({
      maxCount: count(10_000, { orInfinity: true }),
      idleTimeoutMs: ms(1_800_000, { orInfinity: true }),
      maxAgeMs: ms(604_800_000, { orInfinity: true }),
    }) satisfies Table<SessionOptions>,
);

export const httpLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxMessageChars: count(),
      maxBodyBytes: count(),
      maxConcurrentCalls: count(10_000, { orInfinity: true }),
      maxQueuedCalls: count(1000, { least: 0, orInfinity: true }),
      maxMemoryBytes: count(805_306_368, { orInfinity: true }),
      maxQueuedChars: count(4_194_304, { orInfinity: true }),
      maxSessionChars: count(4_194_304, { least: 1024, orInfinity: true }),
    }) satisfies Table<HttpLimits>,
  {
    maxDepth,
    maxBatch,
    maxValues: '100,000 for servers and 1,000,000 for clients, in proportion more where limits.maxMessageChars is raised',
    maxStreamChars,
    maxStreams,
    maxTotalReceivedBytes: 'a sixth of limits.maxMemoryBytes, and at least eight times limits.maxBodyBytes',
    maxTotalQueuedChars: 'four sixths of limits.maxMemoryBytes, two bytes for each, and at least limits.maxQueuedChars',
    maxTotalStoredChars: 'a sixth of limits.maxMemoryBytes, two bytes for each, and at least limits.maxSessionChars',
  },
);

export const httpTimeouts = /* @__PURE__ */ table(
  () =>
    ({
      inputMs: ms(600_000),
      keepAliveMs: ms(15_000),
      pingIntervalMs: ms(),
      deadNodeMs: ms(15_000),
      queueMs: ms(5000),
      storeMs: ms(2000),
      shutdownMs: ms(5000, { least: 0 }),
    }) satisfies Table<HttpTimeouts>,
);

export const httpOptions = /* @__PURE__ */ table(
  () =>
    ({
      allowedHosts,
      allowedOrigins,
      authenticate: callback,
      trustedProxies,
      store: storeRule,
      sessions: groupOr([false], sessionOptions),
      limits: group(httpLimits),
      timeouts: group(httpTimeouts),
      strict: flag(false),
      compat: serverCompatRule,
      tap: callback,
      logger,
      onWarning: callback,
    }) satisfies Table<HttpOptions>,
);
