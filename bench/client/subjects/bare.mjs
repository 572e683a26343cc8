/** The lower limit of a client: `node:http` with an agent, the message written and read as JSON, nothing validated. */
import { Agent, request } from 'node:http';
import { lifecycles } from '../../lib/lifecycles.mjs';
import { prepared } from './in-flight.mjs';

export function prepare({ lifecycle, port, inFlight }) {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const { call, revision } = lifecycles[lifecycle];
  let id = 0;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    ...(lifecycle === 'exchange' && { 'mcp-method': 'tools/call', 'mcp-name': 'echo' }),
  };
  const post = (body) =>
    new Promise((resolve, reject) => {
      const own = { ...headers, 'content-length': Buffer.byteLength(body) };
      const sent = request({ agent, port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers: own }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (piece) => (text += piece));
        answer.on('end', () => resolve(JSON.parse(text).result));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return prepared(() => post(JSON.stringify(call((id += 1), 'echo', { message: 'hello' }))), inFlight);
}
