/** `DEMO_STORE=sqlite:… npm start`: a long report survives `kill -9`, without npm and the setup. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { lone, request, sessionAt, startSession } from '../kit/http/messages.ts';
import { type Json, send } from '../kit/http/raw-http.ts';
import { demoArgs } from './demo-program.ts';

interface Demo {
  readonly url: string;
  readonly pid: number | undefined;
  /** The numbers of the chapters that it has written, in their order. */
  readonly chapters: number[];
  /** Resolves when it has written a chapter. */
  written(chapter: number): Promise<void>;
  kill(): Promise<void>;
}

async function start(store: string): Promise<Demo> {
  const child: ChildProcess = spawn(process.execPath, [...demoArgs], {
    cwd: root,
    env: { ...process.env, PORT: '0', DEMO_STORE: store, DEMO_SECRET: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [ready] = await once(lines, 'line');
  const chapters: number[] = [];
  let wake = (): void => {};
  lines.on('line', (line: string) => {
    const [, chapter] = /has written chapter (\d+) of/.exec(line) ?? [];
    if (chapter !== undefined) chapters.push(Number(chapter));
    wake();
  });
  return {
    url: String(ready).replace(/^ready /, ''),
    pid: child.pid,
    chapters,
    async written(chapter) {
      while (!chapters.includes(chapter)) await new Promise<void>((resolve) => (wake = resolve));
    },
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const resultIn = (text: string): Json => (JSON.parse(text.replace(/^[^{]*/, '')) as { result: Json }).result;

test('a report goes on in the next process after kill -9, and has one result [S18]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = `sqlite:${join(folder, 'demo.db')}`;
  const first = await start(store);
  const session = await startSession(first.url, '2025-11-25');
  const ordered = { name: 'long_report', arguments: { chapters: 20, pauseMs: 200 }, task: {} };
  const { text } = await session.post(request('tools/call', ordered));
  const { taskId } = resultIn(text).task as Json;
  await first.written(3);
  await first.kill();

  const second = await start(store);
  const { text: waited } = await sessionAt(second.url, session).post(request('tasks/result', { taskId }));
  const { structuredContent } = resultIn(waited) as { structuredContent: { chapters: Json[]; processes: number } };
  const expected = Array.from({ length: 20 }, (_, at) => `Chapter ${at + 1}`);
  expect(structuredContent.chapters.map(({ title }) => title)).toEqual(expected);
  expect(structuredContent.processes).toBe(2);

  // Only the chapter during which the process was killed may have been written twice.
  const byFirst = structuredContent.chapters.filter(({ writtenBy }) => writtenBy === first.pid).length;
  expect(byFirst).toBeGreaterThanOrEqual(first.chapters.length - 1);
  expect(second.chapters).toEqual(Array.from({ length: 20 - byFirst }, (_, at) => byFirst + at + 1));

  const extension = {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const { headers, body } = lone('tasks/get', { taskId }, extension);
  const answer = await send(second.url, { headers: { ...headers, 'mcp-name': String(taskId) }, body });
  expect(resultIn(answer.text)).toMatchObject({ status: 'completed', result: { structuredContent } });
}, 60_000);
