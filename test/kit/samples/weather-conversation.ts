/** The weather conversation of founding document 003: a server that answers as its server, and every message. */
import { createServer, resource, type Server, tool, toolResult } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import type { Line } from '../transport/recorded-connection.ts';

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
export const logged = {
  message: 'Fetching weather data',
  location: 'San Francisco, CA',
  timestamp: '2026-02-01T12:34:56Z',
};
export const report =
  'Current weather in San Francisco, CA:\n- Temperature: 62°F\n- Conditions: Partly cloudy\n- Wind: W at 12 mph\n- Humidity: 68%\n- Pressure: 30.12 in\n- Visibility: 10 mi';

export const createWeatherServer = () =>
  createServer({
    name: 'weather-server',
    version: '2.1.0',
    capabilities: { resources: { subscribe: false, listChanged: false } },
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

/** The messages of the document, and the response to the last one, which the document leaves out. */
export const transcript: readonly Line[] = [
  request(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {}, sampling: {} },
    clientInfo: { name: 'weather-client', version: '1.0.0' },
  }),
  response(1, {
    protocolVersion: '2025-06-18',
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: false, listChanged: false },
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

/** The change that the server reports at the end. */
export const addAlerts = (server: Pick<Server, 'update'>): void =>
  server.update((draft) => {
    draft.tools.weather_alerts = tool({}, () => 'None');
  });
