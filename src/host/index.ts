/** The host: many servers under one roof, each in a room of its own. */
export type { CommandEntry, HostConfig, ServerEntry, UrlEntry } from './config.ts';
export type { Consent, RootsRequest, SampledAnswer, SampleRequest, ToolRequest, Verdict } from './consent.ts';
export { createHost } from './create.ts';
export type { Decision } from './decisions.ts';
export type { HostChange, HostChanges } from './feed.ts';
export type { Host } from './host.ts';
export type { Gathered, HostPrompt, HostResource, HostTemplate, HostTool } from './lists.ts';
export type { Health } from './member.ts';
export type { Asking, ClientOptions, HostOptions, Sampling, SamplingLimits } from './options.ts';
