/** Warnings of an endpoint: counted, logged, and passed to the option `onWarning`. */
import { TenonError } from '../../../jsonrpc/errors.ts';
import { runSafely } from '../../../jsonrpc/run-safely.ts';
import { toWarning } from '../../../jsonrpc/to-warning.ts';
import { countWarning, type Dropped } from './dropped.ts';
import type { EndpointLog } from './endpoint-log.ts';

export type Warn = (error: Error) => void;

/** A callback that throws must not affect the request. */
export function createWarn(
  callback: ((error: TenonError) => void) | undefined,
  log: EndpointLog | undefined,
  dropped?: Dropped,
): Warn {
  return (error) => {
    if (dropped !== undefined) countWarning(dropped, error);
    log?.warn(error);
    runSafely(
      () => callback?.(toWarning(error)),
      (cause) => log?.warn(new TenonError('callback-failed', 'onWarning() failed.', { cause })),
    );
  };
}
