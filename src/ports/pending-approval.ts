/** The result of a call that waits for an approval: a text for the model, and what a program needs to follow it. */
import { isRecord } from '../lib/values/is.ts';
import { approvalMetaKey } from '../protocol/meta-keys.ts';
import type { Done } from '../protocol/neutral.ts';

/** An approval that a call waits for. The same call can be repeated until it expires. */
export interface PendingApproval {
  /** Its ID, for those who decide. It is no secret. */
  readonly id: string;
  /** Until when it can be decided and used, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Where it can be decided. */
  readonly url?: string;
}

/** The result of a call that did not run. Its name says so in `_meta`, so that no repeat of a key gets it as the result. */
export const pendingResult = (text: string, approval: PendingApproval): Done => ({
  resultType: 'complete',
  result: { content: [{ type: 'text', text }], isError: true, _meta: { [approvalMetaKey]: { ...approval } } },
});

/** The approval that a result names; `undefined` for any other result. */
export function pendingApprovalIn(result: unknown): PendingApproval | undefined {
  if (!isRecord(result) || result.isError !== true || !isRecord(result._meta)) return undefined;
  const named = result._meta[approvalMetaKey];
  if (!isRecord(named) || typeof named.id !== 'string' || typeof named.expiresAt !== 'number') return undefined;
  const { id, expiresAt, url } = named;
  return { id: id.slice(0, 100), expiresAt, ...(typeof url === 'string' && { url }) };
}
