/** Event ids: each names its stream and its number there, so that a client can resume after it. */
import { formatEvent } from '../../../../transport/sse.ts';

export const formatWithId = (stream: string, n: number, data: string): string =>
  formatEvent({ id: `${stream}.${n}`, data });

/** The stream and the number of an event id; `undefined` for anything else. */
export function readEventId(id: string): { readonly name: string; readonly last: number } | undefined {
  const [, name = '', n] = /^([0-9a-z]{1,24})\.(\d{1,15})$/.exec(id) ?? [];
  return n === undefined ? undefined : { name, last: Number(n) };
}

/** The line that gives an event its name, for clients that want one. */
export const eventLine = (name: string | undefined): string => (name === undefined ? '' : `event: ${name}\n`);
