/** The host: many servers behind one interface, each with a client of its own. */

export type { Host } from './api.ts';
export { createHost } from './create.ts';
export type { HostList, HostPrompt, HostResource, HostTemplate, HostTool } from './lists/lists.ts';
export type { LockStatus, ServerLockStatus } from './lock/status.ts';
export type { HostConnectOptions, HostOptions } from './options.ts';
export type { HostAudit, HostAuditEvent } from './requests/audit.ts';
export type {
  Consent,
  ConsentResult,
  PromptRequest,
  ResourceRequest,
  RootsRequest,
  SampleRequest,
  SampleResult,
  ToolRequest,
} from './requests/consent.ts';
export type { Decision } from './requests/decisions.ts';
export type {
  ConsentDuration,
  HostAction,
  HostActionTarget,
  HostExplanation,
  HostPolicy,
  HostPolicyDecision,
  HostPolicyRequest,
} from './requests/policy.ts';
export type {
  HostElicitRequest,
  HostSampleRequest,
} from './requests/request-options.ts';
export type { HostRound, HostRoundOptions } from './round.ts';
export type { AuthSection, HostAuth } from './servers/auth-section.ts';
export type { HostChange, HostSubscription } from './servers/changes.ts';
export type { CommandServerConfig, HostConfig, ServerConfig, UrlServerConfig } from './servers/config.ts';
export type { ServerHealth } from './servers/host-server.ts';
export type { AllowedVariables, Environment, VariableUse } from './servers/variables.ts';
export type { ListStore } from './stored-lists/list-store.ts';
