/** Which run a question of a server belongs to, on each kind of connection. */
import { serveHttp } from 'tenon';
import { serveInspector } from 'tenon/inspector';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServeInspectorOptions } from '../../src/inspector/options.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { enter, type Page } from './page.ts';
import { createSample } from './sample-server.ts';

const newest = protocolVersions.at(-1) ?? '';
const older = protocolVersions.at(-3) ?? '';

async function opened(server: NonNullable<ServeInspectorOptions['servers']>[string], protocolVersion: string) {
  const service = await serveInspector({ servers: { sample: server }, start: { server: 'sample', protocolVersion } });
  onTestFinished(() => service.close());
  const page = await enter(service.url);
  onTestFinished(() => page.close());
  await page.event('client', ({ client }) => client.state === 'ready');
  return page;
}

/** Starts `book`, and returns its run with the question that comes next. */
async function book(page: Page) {
  const known = new Set(page.events.flatMap((event) => (event.type === 'question' ? [event.question.id] : [])));
  const { run } = await page.call('run', { client: 'c1', request: { kind: 'tool', name: 'book', arguments: {} } });
  const { question } = await page.event('question', (event) => !known.has(event.question.id));
  return { run: run.id, question };
}

async function answered(page: Page, question: string, run: string, name: string) {
  await page.call('answer', { question, answer: { action: 'accept', content: { name } } });
  await page.event('run', (event) => event.run.id === run && event.run.status === 'done');
  return JSON.stringify((await page.call('result', { run })).result);
}

const listening = async () => {
  const service = await serveHttp(createSample(), { port: 0 });
  onTestFinished(() => service.close());
  return service.url;
};

describe('a question', () => {
  it.each([
    ['in memory without sessions', newest, async () => createSample()],
    ['over HTTP without sessions', newest, listening],
    ['over HTTP in a session', older, listening],
  ] as const)('belongs to the run that caused it, and its answer goes there: %s', async (_, version, server) => {
    const page = await opened(await server(), version);
    const one = await book(page);
    const other = await book(page);
    expect([one.question.runs, other.question.runs]).toEqual([[one.run], [other.run]]);
    expect(await answered(page, other.question.id, other.run, 'Grace')).toContain('booked for Grace');
    expect(await answered(page, one.question.id, one.run, 'Ada')).toContain('booked for Ada');
  });

  it('of a session without HTTP names all runs that it may belong to', async () => {
    const page = await opened(createSample(), older);
    const one = await book(page);
    const other = await book(page);
    expect([one.question.runs, other.question.runs]).toEqual([[one.run], [one.run, other.run]]);
  });
});
