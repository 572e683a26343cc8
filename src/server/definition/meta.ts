/** Rejects keys of `_meta` that a handler may not send, when it creates its return value. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import { metaProblem } from '../../protocol/meta-keys.ts';

/** Throws `invalid-outgoing-message` with the place and the fix. */
export function checkMeta(place: string, meta: unknown): void {
  const problem = meta === undefined ? undefined : metaProblem(meta);
  if (problem !== undefined) throw new TenonError('invalid-outgoing-message', `${place}._meta${problem}`);
}

/** Only checks `_meta`: invalid content is found when the whole result is checked. */
export function checkBlocks(blocks: unknown): void {
  if (!Array.isArray(blocks)) return;
  for (const block of blocks) checkBlock(block);
}

export function checkMessages(messages: unknown): void {
  if (!Array.isArray(messages)) return;
  for (const message of messages) checkBlock(message?.content);
}

function checkBlock(block: unknown): void {
  if (!isRecord(block)) return;
  checkMeta('content', block._meta);
  if (isRecord(block.resource)) checkMeta('content.resource', block.resource._meta);
}
