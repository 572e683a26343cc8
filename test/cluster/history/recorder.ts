/** Records a history, and reads and writes it as lines of JSON. */
import type { HistoryEvent } from './events.ts';

/** Takes the events of a run in the order in which they happen. */
export interface Recorder {
  readonly history: readonly HistoryEvent[];
  /** Adds an event; its time is for the reader only. */
  record(event: HistoryEvent): void;
  /** The history as NDJSON, with the time of each event where there is a clock. */
  text(): string;
}

export function createRecorder(now?: () => number): Recorder {
  const history: HistoryEvent[] = [];
  const times: number[] = [];
  return {
    history,
    record(event) {
      history.push(event);
      if (now !== undefined) times.push(now());
    },
    text: () => history.map((event, index) => line(event, times[index])).join(''),
  };
}

const line = (event: HistoryEvent, at: number | undefined): string =>
  `${JSON.stringify(at === undefined ? event : { at, ...event })}\n`;

/** The events of a history that was written as NDJSON. An unfinished last line, of a killed writer, is left out. */
export function readHistory(text: string): HistoryEvent[] {
  const lines = text.split('\n').slice(0, text.endsWith('\n') ? undefined : -1);
  return lines.filter((part) => part !== '').map((part) => JSON.parse(part) as HistoryEvent);
}
