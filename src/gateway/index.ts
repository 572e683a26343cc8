/** One server in front of many: connections of each principal, names that do not collide, lists of each caller. */
export { createGateway } from './create-gateway.ts';
export type {
  ConnectionOwner,
  Gateway,
  GatewayConnection,
  GatewayLimits,
  GatewayOptions,
  GatewayStatus,
  Reloaded,
  SearchOptions,
  Share,
  UpstreamAuth,
  UpstreamLimits,
  UpstreamOptions,
  UpstreamStatus,
  Upstreams,
} from './types.ts';
