/** Lists from the lock, which has every approved definition whole. What the server has is compared at its first use, as always. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Lock } from '../../ports/lock.ts';
import { identityOf } from '../lock/identity.ts';
import type { HostServer } from '../servers/host-server.ts';
import { isStorable, type StoredItems, type StoredLists } from './list-store.ts';

export function listsFromLock(lock: Promise<Lock>): StoredLists {
  const instructions = new Map<string, string | undefined>();
  return {
    async read(kind, hostServer): Promise<StoredItems | undefined> {
      if (!isStorable(hostServer)) return undefined;
      const { server } = hostServer;
      try {
        const approved = await (await lock).definitions(server);
        if (approved === undefined) throw unknownServer(server);
        if (!(await isSame(hostServer, approved.identity))) throw otherServer(server);
        instructions.set(server, approved.instructions);
        const items = approved.definitions[kind];
        return items && { items: [...items], problem: undefined, isApproved: true };
      } catch (error) {
        return { items: [], problem: error as Error, isApproved: true };
      }
    },
    async write() {},
    async confirm() {},
    instructions: (server) => instructions.get(server),
    forget: (server) => void instructions.delete(server),
  };
}

/** The name that a server gives itself is known only after it was started. */
async function isSame(hostServer: HostServer, approved: Readonly<Record<string, string>>): Promise<boolean> {
  return canonicalJson({ ...(await identityOf(hostServer)), name: '' }) === canonicalJson({ ...approved, name: '' });
}

const hint = 'If this is right, approve it: host.approve(await host.lockStatus()).';

const unknownServer = (server: string): TenonError =>
  new TenonError('lock-mismatch', `Nothing of the server ${server} was approved, so nothing of it is listed.`, {
    hint,
    details: { server },
  });

const otherServer = (server: string): TenonError =>
  new TenonError('lock-mismatch', `The server ${server} was approved with another command or URL.`, {
    hint,
    details: { server },
  });
