/** The host on Node: it starts servers by their commands, and reads variables from `process.env`. */

import type { Host } from '../host/api.ts';
import { buildHost } from '../host/host.ts';
import type { HostOptions as NeutralOptions } from '../host/options.ts';
import type { OpenClient } from '../host/server-set.ts';
import type { ListStore } from '../host/stored-lists/list-store.ts';
import { runInBackground } from '../lib/values/maybe-promise.ts';
import type { Lock } from '../ports/lock.ts';
import { createClient } from './connect.ts';
import type { PolicyFile } from './guard/policy-file.ts';
import { hostOptions } from './host-options.table.ts';
import type { HostOptions } from './host-options.ts';

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
  const { policy, lock } = options ?? {};
  const openedPolicy = typeof policy === 'string' ? openPolicy(policy) : undefined;
  const openedLock = openLock(lock);
  const needsStore = options?.lists === 'stored' && lock === undefined && options.listStore === undefined;
  const listStore = needsStore ? openLists() : undefined;
  const joined = {
    ...options,
    ...(openedPolicy && { policy: openedPolicy }),
    ...(openedLock && { lock: openedLock }),
    ...(listStore && { listStore }),
  };
  const onClose = (): void =>
    runInBackground(
      async () => (await openedPolicy)?.close(),
      () => {},
    );
  const hostSettings = (openedPolicy ?? openedLock ?? listStore) ? joined : options;
  try {
    return buildHost(hostSettings as NeutralOptions, open, hostOptions, process.env, onClose);
  } catch (error) {
    onClose();
    throw error;
  }
}

/** The guard is loaded only for paths. Each use of the host reports why it failed. */
function openPolicy(path: string): Promise<PolicyFile> {
  const opened = import('./guard/policy-file.ts').then(({ policyFile }) => policyFile(path));
  opened.catch(() => {});
  return opened;
}

function openLock(lock: HostOptions['lock']): Promise<Lock> | undefined {
  const file = typeof lock === 'string' ? { path: lock } : lock;
  if (typeof file !== 'object' || file === null || !('path' in file) || 'compare' in file) return undefined;
  const { path, ...options } = file;
  const opened = import('./guard/lock-file.ts').then(({ lockFile }) => lockFile(path, options));
  opened.catch(() => {});
  return opened;
}

/** The folder is opened when a list is read. */
function openLists(): ListStore {
  const opened = import('./credentials/lists-folder.ts').then(({ listsFolder }) => listsFolder());
  opened.catch(() => {});
  return {
    read: async (key) => (await opened).read(key),
    write: async (key, text) => (await opened).write(key, text),
  };
}
