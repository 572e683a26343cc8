/** Prompt messages in the role `system`, which the founding documents have and the specification has not. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Fits } from '../fitting/fitting.ts';
import { type Check } from '../model/primitives.ts';
import type { Revision } from '../revision.ts';

const isSystem = (message: unknown): boolean => isRecord(message) && message.role === 'system';

/** The result with the user in the place of the system. */
export function withoutSystem(result: Fields): Fields {
  const { messages } = result;
  if (!Array.isArray(messages) || !messages.some(isSystem)) return result;
  return { ...result, messages: messages.map((one) => (isSystem(one) ? { ...one, role: 'user' } : one)) };
}

/** The revision of a server that has such messages: sent as they are in a session, else as messages of the user. */
export function withSystemRole(revision: Revision): Revision {
  if (revision.lifecycle === 'exchange') return { ...revision, fitting: fittedToUser(revision.fitting) };
  const { client } = revision;
  const get = client.requests.get('prompts/get');
  if (get === undefined) return revision;
  const result: Check = (value) => get.result(isRecord(value) ? withoutSystem(value) : value);
  return {
    ...revision,
    client: { ...client, requests: new Map([...client.requests, ['prompts/get', { ...get, result }]]) },
  };
}

function fittedToUser(fitting: Revision['fitting']): Revision['fitting'] {
  const { results } = fitting;
  const fit = results.get('prompts/get');
  const fitPrompt = (result: Fields): Fields => withoutSystem(fit?.(result) ?? result);
  const fits: Fits = { get: (method) => (method === 'prompts/get' ? fitPrompt : results.get(method)) };
  return { ...fitting, results: fits };
}
