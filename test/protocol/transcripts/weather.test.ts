/** The weather conversation of founding document 003, between our client and our server. */

import { connect, createServer, resource, tool, toolResult } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { expect, it } from 'vitest';
import { type Line, recorded } from '../../kit/transport/recorded-connection.ts';

const currentSchema = {
  type: 'object',
  properties: {
    location: { type: 'string', description: 'City name, address, or coordinates' },
    units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
  },
  required: ['location'],
};
const forecastSchema = {
  type: 'object',
  properties: { location: { type: 'string' }, days: { type: 'number', minimum: 1, maximum: 7, default: 5 } },
  required: ['location'],
};
const current = { title: 'Current Weather', description: 'Get current weather information for any location' };
const forecast = { title: 'Weather Forecast', description: 'Get weather forecast for the next 7 days' };
const locations = {
  name: 'Supported Locations',
  description: 'List of all supported location formats and examples',
  mimeType: 'text/plain',
};
const logged = {
  message: 'Fetching weather data',
  location: 'San Francisco, CA',
  timestamp: '2026-02-01T12:34:56Z',
};
const report =
  'Current weather in San Francisco, CA:\n- Temperature: 62°F\n- Conditions: Partly cloudy\n- Wind: W at 12 mph\n- Humidity: 68%\n- Pressure: 30.12 in\n- Visibility: 10 mi';

const makeServer = () =>
  createServer({
    name: 'weather-server',
    version: '2.1.0',
    tools: {
      weather_current: tool(
        { ...current, inputSchema: fromJsonSchema<{ location: string; units: string }>(currentSchema) },
        ({ location }, ctx) => {
          ctx.log('info', { ...logged, location }, 'weather-server');
          return toolResult({ content: [{ type: 'text', text: report }], isError: false });
        },
      ),
      weather_forecast: tool({ ...forecast, inputSchema: fromJsonSchema(forecastSchema) }, () => 'Sunny'),
    },
    resources: { 'weather://api/locations': resource(locations, () => 'Oslo, Norway') },
  });

const request = (id: number, method: string, params?: object): Line => ({
  from: 'client',
  message: { jsonrpc: '2.0', id, method, ...(params && { params }) },
});
const response = (id: number, result: object): Line => ({ from: 'server', message: { jsonrpc: '2.0', id, result } });
const notification = (from: Line['from'], method: string, params?: object): Line => ({
  from,
  message: { jsonrpc: '2.0', method: `notifications/${method}`, ...(params && { params }) },
});

const tools = [
  { name: 'weather_current', ...current, inputSchema: currentSchema },
  { name: 'weather_forecast', ...forecast, inputSchema: forecastSchema },
];
const added = { name: 'weather_alerts', inputSchema: { type: 'object', properties: {} } };

/** The messages of the document. Our servers always declare resources.listChanged; the server of the document does not. */
const transcript: readonly Line[] = [
  request(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {}, sampling: {} },
    clientInfo: { name: 'weather-client', version: '1.0.0' },
  }),
  response(1, {
    protocolVersion: '2025-06-18',
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
    },
    serverInfo: { name: 'weather-server', version: '2.1.0' },
  }),
  notification('client', 'initialized'),
  request(2, 'tools/list'),
  response(2, { tools }),
  request(3, 'resources/list'),
  response(3, { resources: [{ uri: 'weather://api/locations', ...locations }] }),
  request(4, 'tools/call', {
    name: 'weather_current',
    arguments: { location: 'San Francisco, CA', units: 'imperial' },
  }),
  notification('server', 'message', { level: 'info', logger: 'weather-server', data: logged }),
  response(4, { content: [{ type: 'text', text: report }], isError: false }),
  notification('server', 'tools/list_changed'),
  request(5, 'tools/list'),
  response(5, { tools: [...tools, added] }),
];

/** Empty params mean the same as absent ones. A progress token is dropped: no progress is sent. */
const plain = ({ from, message: { params: given, ...message } }: Line): Line => {
  const { _meta, ...rest } = (given ?? {}) as { _meta?: Record<string, unknown> };
  const { progressToken: _token, ...meta } = _meta ?? {};
  const params = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
  const isEmpty = params === undefined || Object.keys(params as object).length === 0;
  return { from, message: isEmpty ? message : { ...message, params } };
};

it('runs from the handshake to the refreshed list of tools, message by message, over a custom transport [S38, S02, s-base-48]', async () => {
  const server = makeServer();
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
  server.update((draft) => {
    draft.tools.weather_alerts = tool({}, () => 'None');
  });
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
