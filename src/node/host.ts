/** The host on Node: it starts servers by their commands, and reads variables from `process.env`. */

import type { Host } from '../host/api.ts';
import { buildHost } from '../host/host.ts';
import type { HostOptions as NeutralOptions } from '../host/options.ts';
import type { OpenClient } from '../host/server-set.ts';
import { callback } from '../protocol/option-rules.ts';
import { createClient } from './connect.ts';

export type { Host } from '../host/api.ts';
export type { HostList, HostPrompt, HostResource, HostTemplate, HostTool } from '../host/lists/lists.ts';
export type { HostConnectOptions, HostLimits, HostTimeouts } from '../host/options.ts';
export type {
  Consent,
  ConsentResult,
  RootsRequest,
  SampleRequest,
  SampleResult,
  ToolRequest,
} from '../host/requests/consent.ts';
export type { Decision } from '../host/requests/decisions.ts';
export type {
  ElicitationLimits,
  HostElicitRequest,
  HostSampleRequest,
  SamplingLimits,
} from '../host/requests/request-options.ts';
export type { AuthSection, HostAuth } from '../host/servers/auth-section.ts';
export type { HostChange, HostSubscription } from '../host/servers/changes.ts';
export type { CommandServerConfig, HostConfig, ServerConfig, UrlServerConfig } from '../host/servers/config.ts';
export type { ServerHealth } from '../host/servers/host-server.ts';
export type { AllowedVariables, Environment, VariableUse } from '../host/servers/variables.ts';

/** The options of `createHost` on Node. */
export interface HostOptions extends NeutralOptions {
  /** Called with every line that a server writes to its standard error. Errors contain the last lines anyway. */
  readonly onStderr?: (server: string, line: string) => void;
}

/**
 * Creates a host of many servers. Each is started, or connected to, when it is first used.
 *
 * @example
 * ```ts
 * const host = createHost({ servers: JSON.parse(await readFile('mcp.json', 'utf8')), consent: { tool: askUser } });
 * console.log((await host.tools.list()).items.map(({ name }) => name));
 * await host.close();
 * ```
 */
export function createHost(options: HostOptions): Host {
  const open: OpenClient = (target, connect, server) => {
    if (!('command' in target)) return createClient(target, connect);
    const { onStderr } = options;
    const onLine = onStderr === undefined ? 'ignore' : (line: string): void => onStderr(server, line);
    return createClient({ ...target, stderr: onLine }, connect);
  };
  return buildHost(options, open, { onStderr: callback }, process.env);
}
