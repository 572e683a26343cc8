/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, ms, type Table, table, texts } from '../lib/options/option-table.ts';
import type { GatewayLimits, SearchOptions, UpstreamLimits } from './options.ts';

export const gatewayLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxConnections: count(2000),
      listMs: ms(2000),
    }) satisfies Table<GatewayLimits>,
);

export const searchOptions = /* @__PURE__ */ table(
  () =>
    ({
      pinned: texts(),
    }) satisfies Table<SearchOptions>,
);

export const upstreamLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxConnections: count(),
      maxConnectionsPerOwner: count(),
      maxWaiting: count(1000),
      queueMs: ms(5000),
      openMs: ms(30_000),
      callMs: ms(600_000),
      idleMs: ms(300_000),
      drainMs: ms(900_000),
    }) satisfies Table<UpstreamLimits>,
);
