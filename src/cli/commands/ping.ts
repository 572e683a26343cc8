/** `tenon ping`: checks that a server answers. */
import type { Client } from '../../client/api/client.ts';
import type { RunCommand } from '../manifest/command.ts';
import { withClient } from '../target/open-client.ts';

export const run: RunCommand = (given) =>
  withClient(given, async (client) => {
    const count = Math.ceil(given.number('count') ?? 1);
    const times: number[] = [];
    for (let n = 0; n < count; n++) {
      const began = performance.now();
      await answered(client);
      times.push(Math.round((performance.now() - began) * 100) / 100);
    }
    const { protocolVersion } = client;
    return { result: { protocolVersion, ms: times }, text: times.map((ms) => `answered in ${ms} ms`).join('\n') };
  });

/** Protocol versions without sessions have no ping: discovery is the smallest request there. */
const answered = (client: Client): Promise<unknown> =>
  client.protocolVersion >= '2026' ? client.request('server/discover') : client.ping();
