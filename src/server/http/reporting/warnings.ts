/** Warnings of an endpoint: counted, logged, and passed to the option `onWarning`. */

import { toWarning } from '../../../jsonrpc/errors.ts';
import type { Logger } from '../../../lib/errors/logger.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { runSafely } from '../../../lib/values/run-safely.ts';
import { countWarning, type Dropped, nothingDropped } from './dropped.ts';
import { createEndpointLog, type EndpointLog } from './endpoint-log.ts';

export type Warn = (error: Error) => void;

interface ReportingOptions {
  readonly logger?: Logger;
  readonly onWarning?: (error: TenonError) => void;
}

/** The log, the counts and the warnings of an endpoint; two endpoints of one service share the counts. */
export function createReporting({ logger, onWarning }: ReportingOptions, dropped: Dropped = nothingDropped()) {
  const log = createEndpointLog(logger);
  return { log, dropped, warn: createWarn(onWarning, log, dropped) };
}

/** A callback that throws must not affect the request. */
function createWarn(
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
