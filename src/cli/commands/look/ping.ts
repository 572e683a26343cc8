/** `tenon ping`: checks that a server answers. */
import type { RunCommand } from '../../io/command.ts';
import { withClient } from '../../target/open-client.ts';

export const run: RunCommand = (given) =>
  withClient(given, async (client) => {
    const count = given.count('count') ?? 1;
    const times: number[] = [];
    for (let n = 0; n < count; n++) {
      const began = performance.now();
      await client.ping();
      times.push(Math.round((performance.now() - began) * 100) / 100);
    }
    const { protocolVersion } = client;
    return { result: { protocolVersion, ms: times }, text: times.map((ms) => `answered in ${ms} ms`).join('\n') };
  });
