/** How the page reaches its backend: over HTTP, or by the messages of a worker. `main.ts` of a build chooses one. */
import type { ApiAnswer, InspectorEvent } from '../../../../src/inspector/api.ts';

export interface ApiPort {
  /** Whether a tab needs the key that the link of the program gives. */
  readonly needsKey: boolean;
  /** Sends a call. Throws a `CallFailure` if the backend cannot be reached. */
  send(name: string, request: unknown): Promise<ApiAnswer<unknown>>;
  /** The events after a `seq`, until the signal is aborted or the connection is lost. `onOpen` is called once there is one. */
  events(after: number, signal: AbortSignal, onOpen: () => void): AsyncIterable<readonly InspectorEvent[]>;
}

let chosen: ApiPort | undefined;

/** Before anything is called. */
export const usePort = (port: ApiPort): void => void (chosen = port);

export const port = (): ApiPort => chosen as ApiPort;
