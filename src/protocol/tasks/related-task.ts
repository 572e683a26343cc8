/** The metadata by which a message of a session names the task that it belongs to. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';

export const relatedTask = 'io.modelcontextprotocol/related-task';

/** Params or a result that name a task. */
export const withRelatedTask = (fields: Fields | undefined, taskId: string): Fields => ({
  ...fields,
  _meta: { ...(isRecord(fields?._meta) ? fields._meta : {}), [relatedTask]: { taskId } },
});
