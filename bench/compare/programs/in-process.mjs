/** One subject: client and server of a checkout in one process. */
import { driving } from '../../in-process/driving.mjs';
import { lifecycles } from '../../lib/lifecycles.mjs';
import { add } from '../../lib/tools.mjs';
import { openLibrary } from '../library.mjs';

export const prepare = driving(async ({ root, lifecycle }) => {
  const library = await openLibrary(root, 'index');
  const client = await library.connect(library.createServer([add]), lifecycles[lifecycle].revision);
  return { call: async (a, b) => (await client.tools.call('add', { a, b })).content[0].text };
});
