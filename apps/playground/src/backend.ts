/** The backend of the playground: that of the inspector, with a server and two clients of it. */
import { buildClient } from '../../../src/client/client-core.ts';
import type { ServerLike } from '../../../src/client/connect.ts';
import { memoryConnector } from '../../../src/client/memory-connector.ts';
import { type Backend, createBackend } from '../../../src/inspector/backend.ts';
import { protocolVersions } from '../../../src/protocol/revisions/revisions.ts';
import { server } from './server.ts';
import { tourOf } from './tour.ts';

/** The last version with sessions: in it, a server asks in the middle of a call. */
const older = protocolVersions.at(-2) ?? '';

/** Less than a program stores: it is the memory of a tab. Beyond it, the oldest messages are dropped. */
const limits = { maxEvents: 20_000, maxTextChars: 16 * 1024 * 1024 };

export const createPlayground = (): Backend =>
  createBackend(
    {
      servers: { weather: server },
      start: { server: 'weather', call: { tool: 'forecast', arguments: { city: 'Oslo' } }, tour: tourOf(older) },
      limits,
    },
    {
      offeredOnly: true,
      // Without HTTP, which no server here needs.
      createClient: (target, options = {}) => buildClient(memoryConnector(target as ServerLike), options),
    },
  );

/** Connects a client of each version. The newest is shown first. */
export async function openPlayground({ begin, call }: Backend): Promise<void> {
  await begin();
  const request = { target: { kind: 'offered', name: 'weather' }, options: { protocolVersion: older } };
  await call('connect', request, { tab: 'page', origin: '' });
}
