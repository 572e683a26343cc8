/** The faults of an endpoint: counted, logged, and told to whoever wants to hear of them. */
import { TenonError } from '../../../jsonrpc/errors.ts';
import { runSafely } from '../../../jsonrpc/run-safely.ts';
import { countFault, type Dropped } from './dropped.ts';
import type { EndpointLog } from './endpoint-log.ts';

export type Fault = (error: Error) => void;

/** A hearer that fails must not bring down what it hears of. */
export function createFault(hear: Fault | undefined, log: EndpointLog | undefined, dropped?: Dropped): Fault {
  return (error) => {
    if (dropped !== undefined) countFault(dropped, error);
    log?.fault(error);
    runSafely(
      () => hear?.(error),
      (cause) => log?.fault(new TenonError('listener-failed', 'fault() failed.', { cause })),
    );
  };
}
