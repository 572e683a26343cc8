/** Opens the same server with another protocol version, or goes to the client that has it already. */
import { call } from '../api/call.ts';
import { choose, place } from '../state/place.ts';
import { clients, putClient } from '../state/store.ts';

export async function duplicate(id: string, protocolVersion: string): Promise<void> {
  const from = clients.value.find((each) => each.id === id);
  const same = clients.value.find(
    ({ shown, protocolVersion: version, state }) =>
      shown === from?.shown && version === protocolVersion && state !== 'closed',
  );
  // The open item stays open: it is the same server.
  const { name } = place.value;
  if (same !== undefined) return choose({ client: same.id, name });
  const { client } = await call('duplicate', { client: id, options: { protocolVersion } });
  putClient(client);
  choose({ client: client.id, name });
}
