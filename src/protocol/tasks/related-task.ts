/** The metadata by which a message of a session names the task that it belongs to. */
import { isRecord } from '../model/primitives.ts';
import type { Fields } from '../neutral.ts';

export const relatedTask = 'io.modelcontextprotocol/related-task';

/** Params or a result that name a task. */
export const withRelatedTask = (fields: Fields | undefined, taskId: string): Fields => ({
  ...fields,
  _meta: { ...(isRecord(fields?._meta) ? fields._meta : {}), [relatedTask]: { taskId } },
});
