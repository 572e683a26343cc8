/** The error of a log that cannot be read or written. */
import { TenonError } from '../../../lib/errors/tenon-error.ts';

export function unavailable(path: string, problem: string, cause?: unknown): TenonError {
  const code = cause instanceof TenonError ? undefined : (cause as NodeJS.ErrnoException | undefined)?.code;
  const reason = code === undefined ? problem : `${problem} (${code})`;
  const hint =
    code === 'ENOSPC'
      ? 'The disk is full: free space. Calls are served again as soon as a record can be written.'
      : 'Check the folder, its permissions and the disk.';
  return new TenonError('audit-unavailable', `The audit log at ${path} cannot be used: ${reason}.`, {
    hint,
    details: { path, ...(code === undefined ? {} : { code }) },
    cause,
  });
}
