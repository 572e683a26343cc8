/** What is shown while a call runs: a bar if it reports progress, a spinner after a second; nothing without a terminal. */
import { escapeControls } from '../../lib/text/control-characters.ts';
import type { Io } from '../io/io.ts';
import { clearLine } from '../io/status-line.ts';

export interface Progress {
  report(progress: { readonly progress: number; readonly total?: number; readonly message?: string }): void;
  /** Removes the line. */
  end(): void;
}

const nothing: Progress = { report() {}, end() {} };

const barWidth = 20;
/** Standard output may be a file, which has no width. */
const maxLineChars = 80;
const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const spinnerAfterMs = 1000;
const frameMs = 100;

export function showProgress(io: Io, title: string): Progress {
  if (!io.canAsk) return nothing;
  let text = title;
  let frame = 0;
  let stop = io.after(spinnerAfterMs, spin);
  let isShown = false;

  function draw(line: string): void {
    if (io.prompts.isOpen) return;
    isShown = true;
    io.err(`${clearLine}${line.slice(0, Math.min(io.columns, maxLineChars) - 1)}`);
  }

  function spin(): void {
    draw(`${frames[frame++ % frames.length]} ${text}`);
    stop = io.after(frameMs, spin);
  }

  return {
    report({ progress, total, message }) {
      const shown = escapeControls(message ?? title);
      if (total === undefined || total <= 0) {
        text = `${shown} (${progress})`;
        return;
      }
      stop();
      const done = Math.min(Math.max(progress / total, 0), 1);
      const filled = Math.round(done * barWidth);
      draw(`${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${Math.round(done * 100)} % ${shown}`);
    },
    end() {
      stop();
      if (isShown) io.err(clearLine);
    },
  };
}

/** Shows a spinner if the work takes longer than a second. */
export async function withSpinner<T>(io: Io, title: string, work: () => Promise<T>): Promise<T> {
  const progress = showProgress(io, escapeControls(title));
  try {
    return await work();
  } finally {
    progress.end();
  }
}
