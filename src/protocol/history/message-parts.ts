/** Classifies recorded messages without validating them: a recording shows broken messages too. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';

/** One JSON-RPC message as far as it can be read. */
export type MessagePart =
  | { readonly type: 'request'; readonly id: RequestId; readonly method: string; readonly params: Fields }
  | { readonly type: 'notification'; readonly method: string; readonly params: Fields }
  | { readonly type: 'response'; readonly id: RequestId; readonly result: Fields }
  | { readonly type: 'error'; readonly id?: RequestId; readonly error: Fields }
  | { readonly type: 'invalid' };

/** The messages of a text that was parsed: one, or those of a batch. */
export const partsOf = (m: unknown): readonly MessagePart[] => (Array.isArray(m) ? m.map(partOf) : [partOf(m)]);

function partOf(m: unknown): MessagePart {
  if (!isRecord(m)) return { type: 'invalid' };
  const { id, method, params, result, error } = m;
  if (typeof method === 'string')
    return isId(id)
      ? { type: 'request', id, method, params: fields(params) }
      : { type: 'notification', method, params: fields(params) };
  if (isRecord(error)) return isId(id) ? { type: 'error', id, error } : { type: 'error', error };
  return isId(id) && 'result' in m ? { type: 'response', id, result: fields(result) } : { type: 'invalid' };
}

/** The tool, prompt, task, level or URI that a request or a notification is about. */
export function targetOf({ name, uri, taskId, level, ref }: Fields): string | undefined {
  const own = [name, uri, taskId, level].find((one) => typeof one === 'string');
  return (own ?? (isRecord(ref) ? targetOf(ref) : undefined)) as string | undefined;
}

export const isId = (id: unknown): id is RequestId => typeof id === 'string' || typeof id === 'number';

export const fields = (value: unknown): Fields => (isRecord(value) ? value : {});
