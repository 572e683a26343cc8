/** `DEMO_STORE=sqlite:… npm start`: a long report survives `kill -9`, and so does its client, without npm and the setup. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { lone, request, sessionAt, startSession } from '../kit/http/messages.ts';
import { type Json, send } from '../kit/http/raw-http.ts';
import { demoArgs } from './demo-program.ts';

interface Demo {
  readonly url: string;
  readonly pid: number | undefined;
  /** The chapters that it has written of a report with that many, in their order. */
  chaptersOf(length: number): number[];
  /** Resolves when it has written a chapter of such a report. */
  written(chapter: number, length: number): Promise<void>;
  kill(): Promise<void>;
}

async function start(store: string, port = '0'): Promise<Demo> {
  const child: ChildProcess = spawn(process.execPath, [...demoArgs], {
    cwd: root,
    env: { ...process.env, PORT: port, DEMO_STORE: store, DEMO_SECRET: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const written: string[] = [];
  let wake = (): void => {};
  // From the first line on: it may write chapters as soon as it is ready.
  lines.on('line', (line: string) => {
    written.push(line.replace(/^.* has written chapter /, ''));
    wake();
  });
  const [ready] = await once(lines, 'line');
  return {
    url: String(ready).replace(/^ready /, ''),
    pid: child.pid,
    chaptersOf: (length) =>
      written.filter((line) => line.endsWith(` of ${length}`)).map((line) => Number.parseInt(line, 10)),
    async written(chapter, length) {
      while (!written.includes(`${chapter} of ${length}`)) await new Promise<void>((resolve) => (wake = resolve));
    },
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

interface Report {
  readonly chapters: ReadonlyArray<{ readonly title: string; readonly writtenBy: number }>;
  readonly processes: number;
}

/** A report is whole, and only the chapter during which the first process was killed may have been written twice. */
async function expectWhole({ chapters, processes }: Report, first: Demo, second: Demo): Promise<void> {
  const { length } = chapters;
  // What it printed may be read after its response.
  await second.written(length, length);
  expect(chapters.map(({ title }) => title)).toEqual(chapters.map((_, at) => `Chapter ${at + 1}`));
  expect(processes).toBe(2);
  const byFirst = chapters.filter(({ writtenBy }) => writtenBy === first.pid).length;
  expect(byFirst).toBeGreaterThanOrEqual(first.chaptersOf(length).length - 1);
  expect(second.chaptersOf(length)).toEqual(Array.from({ length: length - byFirst }, (_, at) => byFirst + at + 1));
}

const resultIn = (text: string): Json => (JSON.parse(text.replace(/^[^{]*/, '')) as { result: Json }).result;

test('reports go on in the next process after kill -9, and their clients get one result [S18]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'demo-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = `sqlite:${join(folder, 'demo.db')}`;
  const first = await start(store);
  const program = ['--import', 'tsx', 'examples/demo/order.ts', first.url, '30', '200'];
  const following = promisify(execFile)(process.execPath, program, { cwd: root });
  await first.written(3, 30);
  const session = await startSession(first.url, '2025-11-25');
  const ordered = { name: 'long_report', arguments: { chapters: 20, pauseMs: 200 }, task: {} };
  const { text } = await session.post(request('tools/call', ordered));
  const { taskId } = resultIn(text).task as Json;
  await first.written(3, 20);
  await first.kill();

  const second = await start(store, new URL(first.url).port);
  const { text: waited } = await sessionAt(second.url, session).post(request('tasks/result', { taskId }));
  const { structuredContent } = resultIn(waited) as unknown as { structuredContent: Report };
  expect(structuredContent.chapters).toHaveLength(20);
  await expectWhole(structuredContent, first, second);

  const extension = {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const { headers, body } = lone('tasks/get', { taskId }, extension);
  const answer = await send(second.url, { headers: { ...headers, 'mcp-name': String(taskId) }, body });
  expect(resultIn(answer.text)).toMatchObject({ status: 'completed', result: { structuredContent } });

  const { stdout } = await following;
  const report = JSON.parse(stdout.replace(/^Waiting for the task \w+\n/, '')) as Report;
  expect(report.chapters).toHaveLength(30);
  await expectWhole(report, first, second);
});
