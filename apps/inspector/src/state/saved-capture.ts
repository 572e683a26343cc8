/** The live recording as the page has it, as a capture without secrets: it can be saved although its process has ended. */
import { captureVersion, redactionVersion } from '../../../../src/capture/format.ts';
import { EventRedaction } from '../../../../src/capture/redaction/redact-event.ts';
import type { EventText, Row } from '../../../../src/inspector/api.ts';

/** Only what the redaction reads: the kind of an event, and its text. */
type Event = Parameters<EventRedaction['redact']>[0];

interface Recorded {
  readonly rows: readonly Row[];
  readonly texts: ReadonlyMap<number, EventText>;
  /** In milliseconds since the Unix epoch. */
  readonly began: number;
}

/** Rows whose text the page does not have are left out. */
export function captureText({ rows, texts, began }: Recorded): string {
  const redaction = new EventRedaction({ keepAnswers: false });
  const lines: object[] = [
    { capture: captureVersion, by: 'tenon', made: new Date(began).toISOString(), redaction: redactionVersion },
  ];
  for (const row of rows) {
    const found = texts.get(row.seq);
    if (found === undefined || found.isCut === true) continue;
    const { ms, connection } = row;
    lines.push({ ...redaction.redact(eventOf(row, found.text)), seq: lines.length, ms, connection });
  }
  lines.push({ kind: 'end', events: lines.length - 1 });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The backend sends a message as its text, and anything else as JSON. */
function eventOf({ kind, from, connection }: Row, text: string): Event {
  const own = kind === 'message' ? { from, text } : (JSON.parse(text) as object);
  return { ...own, kind, connection, seq: 0, at: 0 } as Event;
}

/** Has the browser save a text as a file. */
export function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
