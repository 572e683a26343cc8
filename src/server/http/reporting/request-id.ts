/** The id of an HTTP request in logs: its own, or one that is created when something is logged. */

/** A request, or its responder: anything that has the headers of the request. */
export interface Headed {
  header?(name: string): string | undefined;
}

const created = new WeakMap<Headed, string>();

/** Ids that are logged: short, and without characters that a terminal or log viewer interprets. */
const safe = /^[\w.:/+=-]{1,128}$/;

export function requestIdOf(headed: Headed): string {
  const sent = headed.header?.('x-request-id');
  if (sent !== undefined && safe.test(sent)) return sent;
  const id = created.get(headed) ?? crypto.randomUUID();
  created.set(headed, id);
  return id;
}
