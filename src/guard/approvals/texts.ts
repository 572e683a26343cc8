/** What callers, their models and their users read about an approval. None of it says who may approve. */
import { escapeControls } from '../../lib/text/control-characters.ts';
import { shownJson } from '../../lib/text/exact-json.ts';
import type { RequestedSchema } from '../../protocol/generated/types/records.ts';
import type { KnownApproval } from './approval.ts';

/** With minutes, in UTC: callers and approvers may be anywhere. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export function pendingText({ stored, record }: KnownApproval, url: string | undefined): string {
  const who = record.approvers.length === 0 ? 'The user' : 'Another person';
  const where = url === undefined ? '' : ` at ${url}`;
  return `Nothing has run. ${who} has to approve exactly this call${where}: approval ${stored.id} is open until ${timeText(stored.expiresAt)}. Call again with the same arguments when it is approved.`;
}

export const expiredText = (id: string): string =>
  `Nothing has run. Approval ${id} has expired before it was given. Call again to request another one.`;

export const waitText = (id: string): string => `Waiting for approval ${id}`;

export function deniedText({ stored, record }: KnownApproval): string {
  const { reason } = record.decision ?? {};
  const why = reason === undefined ? '' : ` The reason: ${escapeControls(reason)}`;
  return `Approval ${stored.id} was denied: exactly this call does not run before ${timeText(stored.expiresAt)}.${why}`;
}

/** The question of a form. */
export function formText({ record }: KnownApproval): string {
  const { server, tool, arguments: sent } = record;
  const validated =
    'validated' in record ? `\n\nWith defaults and conversions it runs with:\n${shownJson(record.validated)}` : '';
  return `Run ${escapeControls(tool)} of ${escapeControls(server)} once, with exactly these arguments?\n${shownJson(sent)}${validated}`;
}

/** An answer has to be chosen: to accept a form without reading it is easy. */
export const formSchema: RequestedSchema = {
  type: 'object',
  properties: {
    decision: { type: 'string', title: 'Decision', description: 'Whether the call may run', enum: ['approve', 'deny'] },
  },
  required: ['decision'],
};

export const urlText = ({ stored, record }: KnownApproval): string =>
  `The call of ${escapeControls(record.tool)} of ${escapeControls(record.server)} needs your approval ${stored.id}. Read and decide it there.`;
