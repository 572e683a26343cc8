/** Our client. */
import { connect } from '../../../dist/node.js';
import { lifecycles } from '../../lib/lifecycles.mjs';
import { prepared } from './in-flight.mjs';

export const open = ({ lifecycle, port }) =>
  connect(`http://127.0.0.1:${port}/mcp`, { protocolVersions: [lifecycles[lifecycle].revision] });

export async function prepare(job) {
  const client = await open(job);
  return prepared(() => client.tools.call('echo', { message: 'hello' }), job.inFlight);
}
