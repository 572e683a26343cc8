/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { callback, count, group, ms, oneOf, type Table, table, text, texts } from '../lib/options/option-table.ts';
import type { HostPoolOptions, ToolCallOrder, ToolContextSettings, ToolkitOptions, ToolResultOptions } from './options.ts';
import { interruptSecrets, pinnedTools, resultStore } from './rules.ts';

export const toolContextSettings = /* @__PURE__ */ table(
  () =>
    ({
      maxTokens: count(10_000),
      pinned: pinnedTools,
      rank: callback,
      maxDescriptionChars: count(10_000),
      countTokens: callback,
    }) satisfies Table<ToolContextSettings>,
);

export const toolResultOptions = /* @__PURE__ */ table(
  () =>
    ({
      maxChars: count(20_000),
      store: resultStore,
      ttlMs: ms(1_800_000),
      maxStoredChars: count(16_000_000),
      resizeImage: callback,
      maxMediaBytes: count(3_932_160),
    }) satisfies Table<ToolResultOptions>,
);

export const toolCallOrder = /* @__PURE__ */ table(
  () =>
    ({
      order: oneOf(['by-server', 'parallel'], 'by-server'),
      maxConcurrent: count(8),
      trustedServers: texts(),
      timeoutMs: ms(),
    }) satisfies Table<ToolCallOrder>,
);

export const toolkitOptions = /* @__PURE__ */ table(
  () =>
    ({
      id: text(),
      filter: callback,
      context: group(toolContextSettings),
      results: group(toolResultOptions),
      calls: group(toolCallOrder),
      interrupts: oneOf(['wait', 'return'], 'wait'),
      secrets: interruptSecrets,
      onEvent: callback,
    }) satisfies Table<ToolkitOptions>,
);

export const hostPoolOptions = /* @__PURE__ */ table(
  () =>
    ({
      maxHosts: count(100),
      idleMs: ms(600_000),
    }) satisfies Table<HostPoolOptions>,
);
