/** The limits of an upstream, with their defaults. */
import type { UpstreamLimits, UpstreamOptions } from './types.ts';

export type UpstreamTimes = Required<UpstreamLimits>;

/** A process costs more than a connection by HTTP, over which calls do not disturb each other. */
export function limitsOf({ url, limits = {} }: UpstreamOptions): UpstreamTimes {
  const isHttp = url !== undefined;
  return {
    maxConnections: limits.maxConnections ?? (isHttp ? 1000 : 100),
    maxConnectionsPerOwner: limits.maxConnectionsPerOwner ?? (isHttp ? 1 : 4),
    maxWaiting: limits.maxWaiting ?? 1000,
    queueMs: limits.queueMs ?? 5000,
    openMs: limits.openMs ?? 30_000,
    callMs: limits.callMs ?? 10 * 60_000,
    idleMs: limits.idleMs ?? 5 * 60_000,
    drainMs: limits.drainMs ?? 15 * 60_000,
  };
}
