/** The weather conversation of founding document 003, between our client and our server. */

import { connect } from 'tenon';
import { expect, it } from 'vitest';
import { addAlerts, createWeatherServer, logged, report, transcript } from '../../kit/samples/weather-conversation.ts';
import { type Line, recorded } from '../../kit/transport/recorded-connection.ts';

/** Empty params mean the same as absent ones. A progress token is dropped: no progress is sent. */
const plain = ({ from, message: { params: given, ...message } }: Line): Line => {
  const { _meta, ...rest } = (given ?? {}) as { _meta?: Record<string, unknown> };
  const { progressToken: _token, ...meta } = _meta ?? {};
  const params = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
  const isEmpty = params === undefined || Object.keys(params as object).length === 0;
  return { from, message: isEmpty ? message : { ...message, params } };
};

it('runs from the handshake to the refreshed list of tools, message by message, over a custom transport [S38, S02, s-base-48]', async () => {
  const server = createWeatherServer();
  const lines: Line[] = [];
  const transport = recorded(server, (line) => void lines.push(line));
  const logs: unknown[] = [];
  const client = await connect(transport, {
    protocolVersions: ['2025-06-18'],
    clientInfo: { name: 'weather-client', version: '1.0.0' },
    handlers: {
      elicitForm: () => ({ action: 'decline' }),
      sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: '' } }),
    },
    onLog: (entry) => logs.push(entry),
  });
  const names: string[][] = [];
  let wake = (): void => {};
  const refreshed = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await client.tools.watchList((listed) => {
    names.push(listed.map(({ name }) => name));
    if (names.length === 2) wake();
  });
  await client.resources.list().all();
  const answer = await client.tools.call('weather_current', { location: 'San Francisco, CA', units: 'imperial' });
  addAlerts(server);
  await refreshed;
  await client.close();
  expect(lines.map(plain)).toEqual(transcript);
  expect(answer.content).toEqual([{ type: 'text', text: report }]);
  expect(logs).toEqual([{ level: 'info', logger: 'weather-server', data: logged }]);
  expect(names).toEqual([
    ['weather_current', 'weather_forecast'],
    ['weather_current', 'weather_forecast', 'weather_alerts'],
  ]);
});
