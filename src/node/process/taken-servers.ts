/** Servers that a file serves while another program loads it, such as the command line: the program gets them instead. */
import { processWide } from './process-wide.ts';

/** A server, and the options that the file serves it with. */
export interface TakenServer {
  readonly server: object;
  readonly over: 'http' | 'stdio';
  readonly options: object;
}

type OnServed = (taken: TakenServer) => void;

/** The file may use another copy of this package than the program. */
const taker = (): { onServed?: OnServed | undefined } => processWide('taken servers', () => ({}));

/** Whether a program takes the server: then it is not served here. */
export function isTaken(taken: TakenServer): boolean {
  const { onServed } = taker();
  onServed?.(taken);
  return onServed !== undefined;
}

/** Takes all servers from here on, until the returned function is called. */
export function takeServers(onServed: OnServed): () => void {
  const here = taker();
  here.onServed = onServed;
  return () => {
    here.onServed = undefined;
  };
}
