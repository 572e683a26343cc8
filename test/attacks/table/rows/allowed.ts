/** What no caller may be refused: without these, a server that refuses everything would pass the table. */
import { call, initialize, notification } from '../../../kit/http/messages.ts';
import type { HttpStep, Refusal, Sent } from '../attack.ts';
import { ask, callTool, post, postCall } from '../messages.ts';
import { remembered } from './hosts.ts';

export interface Allowed {
  readonly what: string;
  readonly sends: Sent;
  readonly gets: Refusal;
}

const served = (because?: string): Refusal => ({ code: 'served', ...(because !== undefined && { because }) });
const inSession = { 'mcp-session-id': '{session}', 'mcp-protocol-version': '2025-11-25' };
const opens: HttpStep = { body: initialize('2025-11-25'), keeps: { session: { header: 'mcp-session-id' } } };
const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const inputResponses = { ok: { action: 'accept', content: { sure: true } } };

export const allowed: readonly Allowed[] = [
  ...remembered.map((host, index) => ({
    what: `a call that the user has allowed (${index + 1})`,
    sends: { host },
    gets: served('files send'),
  })),
  { what: 'a file of the root', sends: callTool('read', { path: 'days/today.txt' }), gets: served('rain') },
  {
    what: 'a resource of the root',
    sends: ask('resources/read', { uri: 'notes:///days/today.txt' }),
    gets: served('rain'),
  },
  {
    what: 'a public page',
    sends: callTool('fetch', { url: 'http://public.test:{port}/' }),
    gets: served('a public page'),
  },
  {
    what: 'a redirect to a public page',
    sends: callTool('fetch', { url: 'http://public.test:{port}/?to=/page' }),
    gets: served('a public page'),
  },
  { what: 'a program', sends: callTool('print', { name: 'two words' }), gets: served('two words') },
  {
    what: 'a statement',
    sends: callTool('search', { owner: 'ada', order: 'newest' }),
    gets: served('SELECT * FROM notes WHERE owner = $1 ORDER BY created DESC ["ada"]'),
  },
  {
    what: 'a call over HTTP',
    sends: { http: [postCall('echo', { text: 'x' })] },
    gets: { status: 200, ...served('x') },
  },
  {
    what: 'a call over HTTP, strictly',
    sends: { http: [postCall('echo', { text: 'x' })], strict: true },
    gets: { status: 200, ...served('x') },
  },
  {
    what: 'a session, for its owner',
    sends: {
      http: [
        opens,
        { headers: inSession, body: notification('notifications/initialized') },
        { headers: inSession, body: call('echo', { text: 'x' }) },
      ],
    },
    gets: { status: 200, ...served('x') },
  },
  {
    what: 'a request state, for its owner',
    sends: {
      http: [
        { ...postCall('approve', {}, able), keeps: { state: { json: 'result.requestState' } } },
        post('tools/call', { name: 'approve', arguments: {}, requestState: '{state}', inputResponses }, able),
      ],
    },
    gets: { status: 200, ...served('alice accept') },
  },
];
