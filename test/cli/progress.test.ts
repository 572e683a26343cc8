/** Spinners and bars are drawn on a terminal, and nowhere else. */
import { serveHttp } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io/io.ts';
import { noPrompts } from '../../src/cli/io/prompts.ts';
import { overStatusLine } from '../../src/cli/io/status-line.ts';
import { showProgress } from '../../src/cli/output/progress.ts';
import server from './fixtures/server.ts';
import { typed } from './terminal.ts';

/** A terminal whose time passes when `pass` is called. */
function terminal(own: Partial<Io> = {}) {
  let err = '';
  let due: { ms: number; run: () => void } | undefined;
  const io = {
    err: (text: string) => void (err += text),
    canAsk: true,
    prompts: noPrompts,
    columns: 40,
    after(ms: number, run: () => void) {
      const timer = { ms, run };
      due = timer;
      return () => {
        if (due === timer) due = undefined;
      };
    },
    ...own,
  } as Io;
  return {
    io,
    shown: () => err,
    pass(): number | undefined {
      const timer = due;
      due = undefined;
      timer?.run();
      return timer?.ms;
    },
  };
}

const line = '\r\u001b[2K';

describe('progress', () => {
  it('is a spinner after a second, which is removed at the end', () => {
    const { io, shown, pass } = terminal();
    const progress = showProgress(io, 'echo');
    expect(shown()).toBe('');
    expect(pass()).toBe(1000);
    expect(pass()).toBe(100);
    expect(shown()).toBe(`${line}⠋ echo${line}⠙ echo`);
    progress.end();
    expect(shown().endsWith(line)).toBe(true);
    expect(pass()).toBeUndefined();
  });

  it('is a bar where the server reports a total, with its message escaped and cut', () => {
    const { io, shown } = terminal();
    const progress = showProgress(io, 'echo');
    progress.report({ progress: 1, total: 4, message: '\u001b[2Jhalf of the work is almost done' });
    expect(shown()).toBe(`${line}█████░░░░░░░░░░░░░░░ 25 % \\u001b[2Jhalf`);
  });

  it('is drawn neither over a question, nor where there is no terminal', () => {
    const asking = terminal({ prompts: { ...noPrompts, isOpen: true } });
    showProgress(asking.io, 'echo').report({ progress: 1, total: 2 });
    asking.pass();
    expect(asking.shown()).toBe('');
    const piped = terminal({ canAsk: false });
    showProgress(piped.io, 'echo').report({ progress: 1, total: 2 });
    expect([piped.pass(), piped.shown()]).toEqual([undefined, '']);
  });

  it('makes room for a text that follows, which stands on a line of its own', () => {
    let written = '';
    const err = overStatusLine((text) => void (written += text));
    const { io, pass } = terminal({ err });
    const progress = showProgress(io, 'echo');
    pass();
    err('a line of the server\n');
    err('another\n');
    expect(written).toBe(`${line}⠋ echo${line}a line of the server\nanother\n`);
    pass();
    progress.end();
    err('last\n');
    expect(written.endsWith(`${line}⠙ echo${line}last\n`)).toBe(true);
  });

  it('is shown while a command connects and lists', async () => {
    const service = await serveHttp(server, { port: 0 });
    const after = (ms: number, run: () => void) => {
      let isDue = ms === 1000;
      queueMicrotask(() => isDue && run());
      return () => void (isDue = false);
    };
    const { err } = await typed(`tenon tools ${service.url}`, { canAsk: true, after });
    await service.close();
    expect(err).toContain(`⠋ connecting to ${service.url}`);
    expect(err).toContain('⠋ tools');
    expect(err.endsWith(line)).toBe(true);
  });
});
