/** The messages that a client drops, as a counter. */
import { connect } from 'tenon';
import { observeClientStats } from 'tenon/telemetry';
import { expect, it } from 'vitest';
import { program, rawServerScript } from '../kit/process/node-script.ts';
import { collect } from './collector.ts';

const collector = collect();

it('an invalid message of a server process is counted by reason, until it is stopped [S32]', async () => {
  const noisy = rawServerScript(
    `print('{"jsonrpc":"2.0"}'); print('{"jsonrpc":"2.0","id":900,"result":{}}'); reply('done')`,
  );
  await using client = await connect(program(noisy), { protocolVersions: ['2025-06-18'], onWarning: () => {} });
  const stop = observeClientStats(client, { attributes: { 'server.address': 'here' } });
  await client.tools.call('any');
  const points = await collector.points('tenon.client.messages.dropped');
  const counted = points.map(({ attributes, value }) => [attributes['tenon.drop.reason'], value]);
  expect(Object.fromEntries(counted)).toMatchObject({ invalid: 1, unknown: 1, late: 0 });
  expect(points[0]?.attributes).toMatchObject({ 'server.address': 'here' });
  stop();
  expect(() => observeClientStats({} as never)).toThrow('observeClientStats() needs a client');
});
