/** A transport whose messages a tap sees. */
import type { RequestId } from '../jsonrpc/message.ts';
import type { ReportTap, TapSide } from './tap.ts';
import type { Transport, TransportListener } from './transport.ts';

/** Replacements for functions of an object, if it has them. Each gets the function that it replaces. */
type Replaced<T> = { readonly [K in keyof T]?: (own: NonNullable<T[K]>) => NonNullable<T[K]> };

/** Optional members that some transports have. */
interface MoreMembers {
  sendBatch?(text: string, ids: readonly RequestId[]): void;
  readonly respondsTo?: RequestId | undefined;
}

/** The transport with all members that it has, optional ones too. */
export function tappedTransport<T extends Transport>(transport: T, report: ReportTap, side: TapSide): T {
  const sent = (text: string): void => report({ kind: 'message', from: side, text });
  return withMembers<Transport & MoreMembers>(transport, {
    open: (own) => (listener) => own(tappedListener(listener, transport, report, side)),
    send: (own) => (text, message) => {
      sent(text);
      own(text, message);
    },
    sendBatch: (own) => (text, ids) => {
      sent(text);
      own(text, ids);
    },
  }) as T;
}

function tappedListener(
  listener: TransportListener,
  transport: Transport & MoreMembers,
  report: ReportTap,
  side: TapSide,
): TransportListener {
  const from = side === 'client' ? 'server' : 'client';
  return withMembers(listener, {
    onMessage: (own) => (text) => {
      const { respondsTo } = transport;
      report({ kind: 'message', from, text, ...(respondsTo === undefined ? {} : { respondsTo }) });
      own(text);
    },
    onWarning: (own) => (error) => {
      report({ kind: 'warning', text: error.message });
      own(error);
    },
    onClose: (own) => (reason) => {
      report({ kind: 'close', text: reason?.message ?? '' });
      own(reason);
    },
  });
}

/** A proxy, since such objects have private fields, and members that this code does not know or that are absent. */
export function withMembers<T extends object>(target: T, members: Replaced<T>): T {
  const replaced = members as Readonly<Record<PropertyKey, ((own: unknown) => unknown) | undefined>>;
  // The target is an empty object: members of the real one may be read-only, and a proxy must not replace those.
  return new Proxy({} as T, {
    get(_, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function') return own;
      const bound: unknown = own.bind(target);
      return replaced[name]?.(bound) ?? bound;
    },
    has: (_, name) => name in target,
    set: (_, name, value) => Reflect.set(target, name, value, target),
  });
}
