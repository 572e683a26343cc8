/** A client that makes one call, ours. */
import { connect } from 'tenon/client';

export async function callAdd({ send, listen }) {
  const client = await connect({ state: 'open', send, close() {}, open: ({ onMessage }) => listen(onMessage) });
  return client.tools.call('add', { a: 2, b: 3 });
}
