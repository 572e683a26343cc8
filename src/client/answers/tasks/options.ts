/** How a client runs server requests as tasks. */

import { count, flag, type Rule, type Rules } from '../../../lib/options/option-rules.ts';
import { isRecord } from '../../../lib/values/is.ts';
import type { ClientCapabilities } from '../../../protocol/generated/types/records.ts';

/** Limits of the elicitations and sampling requests that a server has the client run as tasks. */
export interface HandlerTaskOptions {
  /** How many of them may be unfinished; a further one gets `overloaded`. Default 100. */
  readonly maxTasks?: number;
  /** The longest time that a server gets for one, its result included. Default 24 hours. */
  readonly maxTtlMs?: number;
  /** How often the server should ask for its status. Default 2000. */
  readonly pollIntervalMs?: number;
}

const fields: Rules & Record<keyof HandlerTaskOptions, Rule> = {
  maxTasks: count,
  maxTtlMs: count,
  pollIntervalMs: count,
};

export const handlerTasksRule: Rule = {
  holds: (value) => flag.holds(value) || isRecord(value),
  must: `be true, false, or an object with ${Object.keys(fields).join(', ')}`,
  fields,
};

/** What a client declares that runs these requests as tasks. */
export const taskCapability = (elicits: boolean, samples: boolean): Required<ClientCapabilities>['tasks'] => ({
  list: {},
  cancel: {},
  requests: {
    ...(elicits && { elicitation: { create: {} } }),
    ...(samples && { sampling: { createMessage: {} } }),
  },
});
