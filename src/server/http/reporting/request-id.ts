/** The id of an HTTP request in logs: the one it came with, or one that is made when something is logged. */

/** A request, or the response to it: whatever has its headers. */
export interface Headed {
  header?(name: string): string | undefined;
}

const made = new WeakMap<Headed, string>();

/** What a sender may have written into a log: short, and of letters that mean nothing to whatever shows it. */
const sane = /^[\w.:/+=-]{1,128}$/;

export function requestIdOf(headed: Headed): string {
  const sent = headed.header?.('x-request-id');
  if (sent !== undefined && sane.test(sent)) return sent;
  const id = made.get(headed) ?? crypto.randomUUID();
  made.set(headed, id);
  return id;
}
