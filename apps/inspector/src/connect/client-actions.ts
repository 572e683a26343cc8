/** What is done with a client: connected again, disconnected, removed. One of an earlier process is known to this page alone. */
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import { call } from '../api/call.ts';
import { reduce } from '../state/known.ts';
import { isGone } from '../state/restart.ts';
import { known, putClient } from '../state/store.ts';
import { edit } from './edited.ts';

const change = (name: 'reconnect' | 'disconnect', client: string): void =>
  void call(name, { client }).then(
    (answer) => putClient(answer.client),
    () => undefined,
  );

export const disconnect = ({ id }: ClientInfo): void => change('disconnect', id);

/** One of an earlier process is opened anew, by the form. */
export const connectAgain = (client: ClientInfo): void =>
  isGone(client) ? edit(client) : change('reconnect', client.id);

export function remove(client: ClientInfo): void {
  const { id } = client;
  if (isGone(client)) known.value = reduce(known.value, { type: 'client-removed', client: id, seq: 0, at: 0 });
  else void call('remove', { client: id }).catch(() => undefined);
}
