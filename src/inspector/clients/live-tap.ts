/** The taps of all clients, as one recording: connections are counted over all of them, and secret headers are hidden. */
import { Placeholders } from '../../capture/redaction/placeholders.ts';
import { redactHeaders } from '../../capture/redaction/redact-headers.ts';
import type { Tap, TapEvent } from '../../transport/tap.ts';
import type { Row } from '../api/timeline.ts';
import type { EventLog } from '../event-log.ts';
import type { Numbers } from '../recordings/numbers.ts';
import { type Recording, textOf } from '../recordings/recording.ts';

export interface LiveTap {
  /** The tap of a client. `onConnection` gets the number of each connection, `onRow` each row. */
  forClient(client: string, onConnection: (number: number, transport: string) => void): Tap;
  /** Gets each row after it was published, with the event. */
  onRow: (row: Row, event: TapEvent) => void;
}

export function createLiveTap(live: Recording, log: EventLog, numbers: Numbers): LiveTap {
  const placeholders = new Placeholders();
  let connections = 0;
  const own: LiveTap = {
    onRow: () => {},
    forClient(client, onConnection) {
      const known = new Map<number, number>();
      return (received) => {
        const connection = known.get(received.connection) ?? ++connections;
        known.set(received.connection, connection);
        if (received.kind === 'open') onConnection(connection, received.transport);
        const event = { ...withoutSecrets(received, placeholders), seq: log.next(), connection };
        const row = live.add(event, client);
        numbers.add(row, event.at);
        log.publishRow(row, event.at, textOf(event));
        own.onRow(row, event);
      };
    },
  };
  return own;
}

/** Headers are shown without tokens: other people may see the screen. Messages stay as they were sent. */
const withoutSecrets = (event: TapEvent, placeholders: Placeholders): TapEvent =>
  event.kind === 'http' && event.headers !== undefined
    ? { ...event, headers: redactHeaders(event.headers, placeholders) }
    : event;
