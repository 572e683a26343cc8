/** The server requests that a client supports: its revision has the request, and it declared the capability. */

import { isRecord } from '../../lib/values/is.ts';
import type { ClientCapabilities } from '../../protocol/generated/types/records.ts';
import type { ClientFeature } from '../definition/context.ts';
import type { CallerInfo } from '../ports/caller.ts';

const methods: Readonly<Record<ClientFeature, string>> = {
  elicitation: 'elicitation/create',
  'elicitation.form': 'elicitation/create',
  'elicitation.url': 'elicitation/create',
  sampling: 'sampling/createMessage',
  'sampling.tools': 'sampling/createMessage',
  roots: 'roots/list',
};

export function clientSupports({ revision, capabilities }: CallerInfo, what: ClientFeature): boolean {
  return revision.serverRequests.has(methods[what]) && declares(capabilities, what);
}

/** Whether the client supports any server request: only then a call may run more than once. */
export const supportsServerRequests = ({ capabilities: { elicitation, sampling, roots } }: CallerInfo): boolean =>
  isRecord(elicitation) || isRecord(sampling) || isRecord(roots);

/** Whether the client runs a request as a task that is sent as one. */
export function runsAsTask({ revision, capabilities: { tasks } }: CallerInfo, method: string): boolean {
  if (!revision.server.requests.has('tasks/get') || !isRecord(tasks) || !isRecord(tasks.requests)) return false;
  const [feature = '', name = ''] = method.split('/');
  const declared = tasks.requests[feature];
  return isRecord(declared) && isRecord(declared[name]);
}

/** A capability that is `false` is not declared. An elicitation capability without a mode means forms. */
function declares({ elicitation, sampling, roots }: ClientCapabilities, what: ClientFeature): boolean {
  switch (what) {
    case 'roots':
      return isRecord(roots);
    case 'sampling':
      return isRecord(sampling);
    case 'sampling.tools':
      return isRecord(sampling) && isRecord(sampling.tools);
    case 'elicitation.url':
      return isRecord(elicitation) && isRecord(elicitation.url);
    case 'elicitation.form':
      return isRecord(elicitation) && (isRecord(elicitation.form) || !isRecord(elicitation.url));
    case 'elicitation':
      return isRecord(elicitation);
  }
}

/** The capabilities that a client must declare, as the error lists them. */
export function neededCapabilities(what: ClientFeature): ClientCapabilities {
  switch (what) {
    case 'roots':
      return { roots: {} };
    case 'sampling':
      return { sampling: {} };
    case 'sampling.tools':
      return { sampling: { tools: {} } };
    case 'elicitation.url':
      return { elicitation: { url: {} } };
    default:
      return { elicitation: { form: {} } };
  }
}
