/** The exchanges of a capture, grouped by session; requests that stand alone are one group. */
import { isRecord } from '../../lib/values/is.ts';
import type { CapturedEvent } from '../format.ts';
import { exchangesByConnection, type RecordedExchange } from './recorded-exchanges.ts';

type Exchanges = readonly RecordedExchange[];

interface RecordedSession {
  readonly version: unknown;
  readonly exchanges: Exchanges;
}

export class Recording {
  /** One list for each connection. */
  readonly #connections: readonly Exchanges[];
  /** Connections with a handshake. */
  readonly #sessions: readonly RecordedSession[];
  readonly #unused: Set<RecordedSession>;

  constructor(events: readonly CapturedEvent[]) {
    this.#connections = [...exchangesByConnection(events).values()];
    this.#sessions = this.#connections.filter(hasHandshake).map((exchanges) => ({
      version: versionIn(exchanges),
      exchanges,
    }));
    this.#unused = new Set(this.#sessions);
  }

  /** Everything of one connection, counted from 0; the last is repeated. */
  connection(number: number): Exchanges {
    return this.#connections[Math.min(number, this.#connections.length - 1)] ?? [];
  }

  /** Requests that stand alone, those of a connection first. A client may have sent some before its handshake. */
  standAlone(first = 0): RecordedExchange[] {
    const own = this.#connections.map(beforeHandshake);
    const at = Math.min(first, own.length - 1);
    return [...own.slice(at), ...own.slice(0, Math.max(at, 0))].flat();
  }

  /** The next session of a version; the last one of it again if all were used, and any session if it has none. */
  session(version: unknown): Exchanges {
    const next =
      firstOf(this.#unused, (one) => one.version === version) ??
      this.#sessions.findLast((one) => one.version === version) ??
      firstOf(this.#unused, () => true) ??
      this.#sessions.at(-1);
    if (next === undefined) return [];
    this.#unused.delete(next);
    return next.exchanges;
  }
}

/** Without a copy: a capture may have very many sessions. */
function firstOf<T>(items: Iterable<T>, isWanted: (item: T) => boolean): T | undefined {
  for (const item of items) if (isWanted(item)) return item;
  return undefined;
}

const isHandshake = ({ method }: RecordedExchange): boolean => method === 'initialize';

const hasHandshake = (exchanges: Exchanges): boolean => exchanges.some(isHandshake);

function beforeHandshake(exchanges: Exchanges): Exchanges {
  const at = exchanges.findIndex(isHandshake);
  return at === -1 ? exchanges : exchanges.slice(0, at);
}

/** The version that the server chose. */
function versionIn(exchanges: Exchanges): unknown {
  const result = exchanges.findLast(isHandshake)?.response?.result;
  return isRecord(result) ? result.protocolVersion : undefined;
}
