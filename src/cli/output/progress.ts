/** What is shown while a call runs: a bar if it reports progress, a spinner after a second; nothing without a terminal. */
import { escapeControls } from '../../jsonrpc/control-characters.ts';
import type { Io } from '../io/io.ts';

export interface Progress {
  report(progress: { readonly progress: number; readonly total?: number; readonly message?: string }): void;
  /** Removes the line. */
  end(): void;
}

const nothing: Progress = { report() {}, end() {} };

const barWidth = 20;
const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const spinnerAfterMs = 1000;
const frameMs = 100;

export function showProgress(io: Io, title: string): Progress {
  if (!io.canAsk) return nothing;
  let text = title;
  let frame = 0;
  let timer = setTimeout(spin, spinnerAfterMs);
  let isShown = false;

  function draw(line: string): void {
    isShown = true;
    io.err(`\r\u001b[2K${line.slice(0, io.columns - 1)}`);
  }

  function spin(): void {
    draw(`${frames[frame++ % frames.length]} ${text}`);
    timer = setTimeout(spin, frameMs);
  }

  return {
    report({ progress, total, message }) {
      const shown = escapeControls(message ?? title);
      if (total === undefined || total <= 0) {
        text = `${shown} (${progress})`;
        return;
      }
      clearTimeout(timer);
      const done = Math.min(Math.max(progress / total, 0), 1);
      const filled = Math.round(done * barWidth);
      draw(`${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${Math.round(done * 100)} % ${shown}`);
    },
    end() {
      clearTimeout(timer);
      if (isShown) io.err('\r\u001b[2K');
    },
  };
}
