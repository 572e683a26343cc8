/** Writes a capture, line by line. Secrets are removed before a line exists. */
import { readOptions } from '../lib/options/read-options.ts';
import type { Tap } from '../transport/tap.ts';
import { type CapturedEvent, type CaptureEnd, type CaptureHeader, captureVersion, redactionVersion } from './format.ts';
import { captureOptions } from './options.table.ts';
import type { CaptureOptions } from './options.ts';
import { EventRedaction } from './redaction/redact-event.ts';

/** A capture that is being written. */
export interface Capture {
  /** Pass it as `tap` to `connect`, `serveHttp`, `serveStdio` or `accept`. */
  readonly tap: Tap;
  /** How many events there are so far. */
  readonly events: number;
  /** Writes the last line. Later events are ignored. */
  end(): void;
}

/**
 * Writes the events of connections as a capture, without secrets. On Node, `captureToFile` writes a file.
 *
 * ```ts
 * const lines: string[] = [];
 * const capture = createCapture({ write: (line) => lines.push(line) });
 * const client = await connect(server, { tap: capture.tap });
 * ```
 */
export function createCapture(options: CaptureOptions): Capture {
  const settings = readOptions('createCapture()', captureOptions, options);
  const { write, digest, by, keepAnswers, maxEvents, maxChars } = settings;
  const redaction = new EventRedaction({ keepAnswers });
  let began: number | undefined;
  let events = 0;
  let chars = 0;
  let hasEnded = false;

  function line(value: CaptureHeader | CapturedEvent | CaptureEnd): void {
    const text = `${JSON.stringify(value)}\n`;
    chars += text.length;
    write(text);
  }

  function begin(at: number): number {
    if (began === undefined) {
      began = at;
      const made = new Date(at).toISOString();
      line({ capture: captureVersion, by, made, redaction: redactionVersion });
    }
    return began;
  }

  function end(): void {
    if (hasEnded) return;
    begin(Date.now());
    hasEnded = true;
    line({ kind: 'end', events, ...(digest && { sha256: digest() }) });
  }

  return {
    tap(event) {
      if (hasEnded) return;
      const ms = event.at - begin(event.at);
      const { connection } = event;
      const isLast = events + 1 >= maxEvents || chars >= maxChars;
      const recorded = isLast ? { kind: 'warning', text: fullText } : redaction.redact(event);
      line({ ...recorded, seq: ++events, ms, connection } as CapturedEvent);
      if (isLast) end();
    },
    get events() {
      return events;
    },
    end,
  };
}

/** A peer that floods the connection must fill neither the disk, nor a capture that cannot be read. */
const fullText = 'The capture ends here: it has reached its limit. What follows was not recorded.';
