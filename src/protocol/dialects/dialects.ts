/** Dialects: how messages of peers that follow the founding documents differ. Each dialect is one more change to a revision. */

import { isRecord } from '../../lib/values/is.ts';
import type { ErrorNumbers } from '../errors.ts';
import { client as elicitationClient, server as elicitationServer } from '../generated/tables/founding-elicitation.ts';
import { client as tasksClient, server as tasksServer } from '../generated/tables/founding-tasks.ts';
import { type Check } from '../model/primitives.ts';
import type { Revision, SideChecks } from '../revision.ts';
import type { CompatOptions, Dialect } from './compat-options.ts';
import { elicitByMessages } from './elicitation-messages.ts';
import { errorCodeTables, errorTextTables, standardNumbers } from './error-codes.ts';
import { withSystemRole } from './system-role.ts';

/** The limit of a sampling request that sets none. */
export const assumedMaxTokens = 1024;

const deltas: Readonly<Record<Dialect, (revision: Revision) => Revision>> = {
  'elicitation-messages': (revision) =>
    revision.serverRequests.has('elicitation/create')
      ? {
          ...withMessages(revision, { client: elicitationClient, server: elicitationServer }),
          requestForms: new Map([['elicitation/create', elicitByMessages]]),
        }
      : revision,
  'system-role': withSystemRole,
  'tasks-create': (revision) => withMessages(revision, { client: tasksClient, server: tasksServer }),
  'optional-max-tokens': (revision) => ({
    ...revision,
    fixes: {
      ...revision.fixes,
      params: new Map([...revision.fixes.params, ['sampling/createMessage', withMaxTokens]]),
    },
  }),
};

/**
 * The revision as this peer uses it. The founding documents have only sessions, so an exchange has no dialects. It only
 * converts the system messages of a server with `system-role`.
 */
export function withDialects(revision: Revision, { dialects = [], errorCodes }: CompatOptions = {}): Revision {
  if (revision.lifecycle === 'exchange')
    return dialects.includes('system-role') ? Object.freeze(withSystemRole(revision)) : revision;
  const changed = dialects.reduce((before, dialect) => deltas[dialect](before), revision);
  if (errorCodes === undefined) return changed;
  const chosen: ErrorNumbers = errorCodeTables[errorCodes];
  const errorTexts = errorTextTables[errorCodes];
  return Object.freeze({
    ...changed,
    errorNumbers: { ...withoutNumbers(changed.errorNumbers, chosen), ...standardNumbers[errorCodes], ...chosen },
    ...(errorTexts && { errorTexts }),
  });
}

/** A number that the chosen table gives to one name cannot belong to another as well. */
function withoutNumbers(numbers: ErrorNumbers, chosen: ErrorNumbers): ErrorNumbers {
  const taken = new Set(Object.values(chosen));
  return Object.fromEntries(Object.entries(numbers).filter(([, number]) => !taken.has(number)));
}

/** A method that the revision has already stays: the declared capability chooses between its two forms. */
function withMessages(revision: Revision, added: { client: SideChecks; server: SideChecks }): Revision {
  const join = (own: SideChecks, more: SideChecks): SideChecks => ({
    requests: new Map([...more.requests, ...own.requests]),
    notifications: new Map([...more.notifications, ...own.notifications]),
  });
  return Object.freeze({
    ...revision,
    client: join(revision.client, added.client),
    server: join(revision.server, added.server),
  });
}

function withMaxTokens(params: unknown, check: Check): unknown {
  const filled =
    isRecord(params) && params.maxTokens === undefined ? { ...params, maxTokens: assumedMaxTokens } : params;
  return check(filled) ? filled : undefined;
}
