/** The host on Node: it starts servers by their commands, and reads variables from `process.env`. */

import type { Host } from '../../host/api.ts';
import { buildHost } from '../../host/host.ts';
import type { HostOptions as NeutralOptions } from '../../host/options.ts';
import type { HostPolicy } from '../../host/permissions/policy.ts';
import type { OpenClient } from '../../host/server-set.ts';
import { callback } from '../../protocol/option-rules.ts';
import { createClient } from '../connect.ts';

/** The options of `createHost` on Node. */
export interface HostOptions extends Omit<NeutralOptions, 'policy'> {
  /**
   * Decides what the user and the servers may do, before any hook: what it denies is not listed and not sent, where it
   * asks the hooks of `consent` decide, and what it allows needs no consent. What no rule allows is denied. A path is that
   * of a policy file.
   */
  readonly policy?: string | NonNullable<NeutralOptions['policy']>;
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
  return buildHost(joined(options), open, { onStderr: callback }, process.env);
}

/** Paths become what the guard reads from them. The guard is loaded only for them. */
function joined(options: HostOptions): NeutralOptions {
  if (typeof options?.policy !== 'string') return options as NeutralOptions;
  return { ...options, policy: readPolicy(options.policy) };
}

async function readPolicy(path: string): Promise<HostPolicy> {
  const { policyFile } = await import('../guard/policy/policy-file.ts');
  return policyFile(path);
}
