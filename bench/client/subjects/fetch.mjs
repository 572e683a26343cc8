/** The same loop with the global fetch, which web clients use. */
import { lifecycles } from '../../lib/lifecycles.mjs';
import { prepared } from './in-flight.mjs';

export function prepare({ lifecycle, port, inFlight }) {
  const { call, revision } = lifecycles[lifecycle];
  const url = `http://127.0.0.1:${port}/mcp`;
  let id = 0;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
  };
  const post = async (body) => (await (await fetch(url, { method: 'POST', headers, body })).json()).result;
  return prepared(() => post(JSON.stringify(call((id += 1), 'echo', { message: 'hello' }))), inFlight);
}
