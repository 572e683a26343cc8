/** Resources of a host: finds the server of a `hostUri`, asks the policy, and reads or watches it. */
import type { Host } from '../api.ts';
import { serverOfUri } from '../lists/find-server.ts';
import { identityOf } from '../lock/identity.ts';
import type { ResourceRequest } from '../requests/consent.ts';
import { hooksOf } from '../requests/handlers.ts';
import type { HostServer } from '../servers/host-server.ts';
import { permit } from './permit.ts';
import type { CallPorts } from './ports.ts';

export function createResources(ports: CallPorts): Host['resources'] {
  const { hostServers, lists } = ports;
  return {
    list: lists.resources,
    listTemplates: lists.templates,
    async read(hostUri, call) {
      const { hostServer, own } = serverOfUri(hostServers, hostUri);
      await permitResource(ports, 'read', hostServer, own, call?.signal);
      await ports.gate?.check(hostServer, 'resource', own);
      return hostServer.use((client) => client.resources.read(own, call));
    },
    async watch(hostUri, onChange, wait) {
      const { hostServer, own } = serverOfUri(hostServers, hostUri);
      // A watcher subscribes, and reads after every change.
      await permitResource(ports, 'read', hostServer, own, wait?.signal);
      await permitResource(ports, 'subscribe', hostServer, own, wait?.signal);
      await ports.gate?.check(hostServer, 'resource', own);
      return hostServer.watch(own, onChange, wait);
    },
  };
}

const verbs = { read: 'read', subscribe: 'watched', complete: 'completed' } as const;

/** For `complete`, `uri` is a URI template. */
export async function permitResource(
  ports: CallPorts,
  action: ResourceRequest['action'],
  hostServer: HostServer,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { resource: hook } = hooksOf(ports.options);
  const { server } = hostServer;
  await permit<string>(ports, {
    action,
    target: action === 'complete' ? { server, template: uri } : { server, resource: uri },
    what: `The resource ${uri} of ${server} was not ${verbs[action]}`,
    kind: 'resource',
    value: uri,
    signal,
    callHook: hook && ((shown, own) => hook({ server, action, uri: shown, signal: own })),
    subject: { identity: await identityOf(hostServer), name: `${action} ${uri}` },
  });
}
