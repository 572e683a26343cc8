/** A token beside the params of a message, as one founding document shows it, for transports without headers. */
import { isRecord } from '../../lib/values/is.ts';

/** The token of `_meta.authorization` at the top of a message. It never goes into a log. */
export function readAuthorization(message: unknown): string | undefined {
  const meta = isRecord(message) ? message._meta : undefined;
  const token = isRecord(meta) ? meta.authorization : undefined;
  return typeof token === 'string' ? token : undefined;
}
