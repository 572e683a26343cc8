/** Ours: the generated checkers, as built. */
import { findRevision } from '../../../dist/protocol.js';
import { judging } from '../judging.mjs';

export function prepare(message) {
  const { [message.part]: check } = findRevision(message.revision).client.requests.get(message.method);
  return judging(check, message);
}
