/** The inspector: a page to see and steer MCP conversations, on a port of its own or mounted in development. */

export type { TourStep } from './api/tour.ts';
export type { InspectorApprovals } from './approvals.ts';
export type { ConfiguredTarget } from './clients/targets.ts';
export { createInspector, type Inspector } from './inspector.ts';
export type { InspectorOptions, InspectorStart, ServeInspectorOptions } from './options.ts';
export { type InspectorService, serveInspector } from './serve-inspector.ts';
