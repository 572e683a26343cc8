/** The host: many servers behind one interface, each with a client of its own. */

export { createHost } from './create.ts';
export type { Host } from './host.ts';
export type { Gathered, HostPrompt, HostResource, HostTemplate, HostTool } from './lists/lists.ts';
export type { ClientOptions, HostOptions } from './options.ts';
export type { Consent, RootsRequest, SampledAnswer, SampleRequest, ToolRequest, Verdict } from './requests/consent.ts';
export type { Decision } from './requests/decisions.ts';
export type { Asking, Sampling, SamplingLimits } from './requests/request-options.ts';
export type { HostChange, HostChanges } from './servers/changes.ts';
export type { CommandEntry, HostConfig, ServerEntry, UrlEntry } from './servers/config.ts';
export type { Health } from './servers/host-server.ts';
