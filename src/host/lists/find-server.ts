/** Finds the server of a name or a host URI. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { HostServer } from '../servers/host-server.ts';
import type { Catalogue } from './catalogue.ts';
import { addressedBy, hasDigest, type Origin } from './names.ts';

/** The server of a name. A name with an unknown digest is looked up in the lists. */
export async function serverNamed<T extends { readonly name: string }>(
  hostServers: readonly HostServer[],
  names: Catalogue<T>,
  list: () => Promise<unknown>,
  name: string,
  what: string,
): Promise<{ hostServer: HostServer; own: string }> {
  if (typeof name !== 'string') throw notNamed(what);
  if (names.origin(name) === undefined && hasDigest(name)) await list();
  return serverAt(hostServers, names.origin(name), `${what} ${JSON.stringify(name)}`);
}

/** The server of an origin. Throws `invalid-argument` for an unknown one. */
function serverAt(
  hostServers: readonly HostServer[],
  origin: Origin | undefined,
  what: string,
): { hostServer: HostServer; own: string } {
  const hostServer = hostServers.find(({ server }) => server === origin?.server);
  if (hostServer !== undefined && origin !== undefined) return { hostServer, own: origin.originalName };
  throw new TenonError('invalid-argument', `No server of this host has the ${what}.`, {
    hint: `Use the \`${what.startsWith('resource') ? 'hostUri' : 'name'}\` of an item in the lists of the host.`,
  });
}

/** The server of a `hostUri`. */
export function serverOfUri(
  hostServers: readonly HostServer[],
  hostUri: unknown,
): { hostServer: HostServer; own: string } {
  if (typeof hostUri !== 'string') throw notNamed('resource');
  return serverAt(hostServers, addressedBy(hostUri), `resource at ${hostUri}`);
}

/** The error for a name or `hostUri` that is not a string. */
const notNamed = (what: string): TenonError =>
  new TenonError(
    'invalid-argument',
    `The ${what === 'resource' ? 'hostUri' : 'name'} of the ${what} must be a string.`,
    {
      hint: `Pass the \`${what === 'resource' ? 'hostUri' : 'name'}\` of an item in the lists of the host.`,
    },
  );
