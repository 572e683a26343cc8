/** One subject: the client of a checkout, which calls a canned server over HTTP. */
import { prepared } from '../../client/subjects/in-flight.mjs';
import { lifecycles } from '../../lib/lifecycles.mjs';
import { openLibrary } from '../library.mjs';

export async function prepare({ root, lifecycle, port, inFlight }) {
  const library = await openLibrary(root);
  const client = await library.connect(`http://127.0.0.1:${port}/mcp`, lifecycles[lifecycle].revision);
  return prepared(() => client.tools.call('echo', { message: 'hello' }), inFlight);
}
