/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, ms, type Table, table } from '../lib/options/option-table.ts';
import type { GatewayLimits, UpstreamLimits } from './options.ts';

export const gatewayLimits = /* @__PURE__ */ table(
  () =>
    ({
      maxConnections: count(2000),
      listMs: ms(2000),
    }) satisfies Table<GatewayLimits>,
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
