/** What the server of a connection can do with tasks, under its protocol version. */
import { isRecord } from '../../../lib/values/is.ts';
import { declares } from '../../connection/capabilities.ts';
import type { Connection } from '../../connection/connection.ts';

const formOf = ({ conversation }: Connection) => conversation.revision.tasks;

/** The form is used only where both sides declared it. */
const isDeclaredByForm = (connection: Connection): boolean => {
  const form = formOf(connection);
  return form?.isPolled === true || form?.createdBy !== undefined;
};

/** Whether the server has tasks at all. Servers of the extension are asked, since each request may be another one's. */
export const hasTasks = (connection: Connection): boolean =>
  formOf(connection) !== undefined && (isDeclaredByForm(connection) || declares(connection.capabilities, 'tasks'));

/** Whether the server runs calls of tools as tasks if the client requests it. */
export function takesTasks(connection: Connection): boolean {
  const form = formOf(connection);
  if (form?.decidedBy !== 'client') return false;
  const { tools } = connection.capabilities.tasks?.requests ?? {};
  return form.createdBy !== undefined || (isRecord(tools) && isRecord(tools.call));
}

export const canCancel = (connection: Connection): boolean =>
  isDeclaredByForm(connection) || declares(connection.capabilities, 'tasks.cancel');
