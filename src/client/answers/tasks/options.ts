/** How a client runs server requests as tasks. */

import type { ClientCapabilities } from '../../../protocol/generated/types/records.ts';

/**
 * How the elicitations and sampling requests run that a server has the client run as tasks.
 * @area client
 */
export interface HandlerTaskOptions {
  /**
   * How often a server should ask for the status of a request that runs as a task.
   * @default 2 s
   * @whole
   * @most none
   */
  readonly pollIntervalMs?: number;
}

/**
 * Server requests that run as tasks and are not finished.
 * @limit HandlerTaskOptions.maxTasks
 * @beyond the server request is rejected; of results beyond as many the oldest is deleted
 * @code overloaded
 */
export const maxTasks = 100;

/**
 * How long a server request that runs as a task lives, its result included.
 * @limit HandlerTaskOptions.maxTtlMs
 * @default 1 h if the server asks for none, at most 24 h
 * @beyond it is cancelled and deleted
 */
export const maxTtlMs = 24 * 60 * 60_000;

/** What a client declares that runs these requests as tasks. */
export const taskCapability = (elicits: boolean, samples: boolean): Required<ClientCapabilities>['tasks'] => ({
  list: {},
  cancel: {},
  requests: {
    ...(elicits && { elicitation: { create: {} } }),
    ...(samples && { sampling: { createMessage: {} } }),
  },
});
