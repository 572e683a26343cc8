/** Our client with servers published on npm: their lists, several of their tools, and their exit. */

import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, type CommandTarget, type ConnectOptions, connect, toText } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers } from '../../../kit/peers/conversation.ts';
import { published } from '../../../kit/peers/programs.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

let folder = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-published-')));
});
afterAll(() => rm(folder, { recursive: true }));

/** Connects with default options, runs `use`, and expects no warning and no dropped message. */
async function using(
  command: CommandTarget,
  options: ConnectOptions,
  use: (client: Client, callText: (name: string, input?: Record<string, unknown>) => Promise<string>) => Promise<void>,
): Promise<void> {
  const warnings: Error[] = [];
  const onWarning = (error: Error): void => void warnings.push(error);
  const client = await connect(
    { ...command, stderr: 'ignore', exitTimeoutMs: 500 },
    { handlers: answers, onWarning, ...options },
  );
  try {
    expect(client.protocolVersion).toBe('2025-11-25');
    await use(client, async (name, input = {}) => toText(await client.tools.call(name, input)));
    expect(client.stats().dropped).toEqual({ late: 0, unknown: 0, invalid: 0 });
    expect(warnings).toEqual([]);
  } finally {
    // Resolves when the server process and its children have exited.
    await withTimeout(client.close(), 'the client to close');
  }
}

const names = (items: readonly { readonly name: string }[]): string[] => items.map(({ name }) => name);

describe.each([{ strict: true }, { strict: false }])('under a client with %o', ({ strict }) => {
  it('server-everything lists everything, and its tools answer, report progress and send server requests [S19]', async () => {
    await using(published('server-everything', 'stdio'), { strict }, async (client, callText) => {
      expect(names(await client.tools.list().all())).toEqual(expect.arrayContaining(['echo', 'get-roots-list']));
      expect(await client.resources.list().all()).not.toEqual([]);
      expect(await client.resources.listTemplates().all()).toHaveLength(2);
      expect(names(await client.prompts.list().all())).toContain('args-prompt');
      const { messages } = await client.prompts.get('args-prompt', { city: 'Oslo' });
      expect(messages).toMatchObject([{ content: { text: expect.stringContaining('Oslo') } }]);
      const { contents } = await client.resources.read('demo://resource/dynamic/text/1');
      expect(contents).toMatchObject([{ text: expect.any(String) }]);
      const department = { name: 'department', value: 'E' };
      const completion = await client.complete({ type: 'ref/prompt', name: 'completable-prompt' }, department);
      expect(completion.values).toEqual(['Engineering']);
      expect(await callText('echo', { message: 'hi' })).toBe('Echo: hi');
      const weather = await client.tools.call('get-structured-content', { location: 'Chicago' });
      expect(weather).toMatchObject({ structuredContent: { temperature: expect.any(Number) } });
      expect((await client.tools.call('get-tiny-image')).content).toMatchObject([{}, { type: 'image' }, {}]);
      const steps: number[] = [];
      const onProgress = ({ progress }: { progress: number }): void => void steps.push(progress);
      await client.tools.call('trigger-long-running-operation', { duration: 0.1, steps: 2 }, { onProgress });
      expect(steps).toEqual([1, 2]);
      expect(await callText('trigger-sampling-request', { prompt: 'What now?' })).toContain('Go on.');
      expect(await callText('trigger-elicitation-request')).toContain('Name: Ada');
      expect(await callText('get-roots-list')).toContain('file:///work');
    });
  });

  it('server-filesystem reads and writes in its allowed folder, and nowhere else', async () => {
    const roots = [{ uri: pathToFileURL(folder).href }];
    await writeFile(join(folder, 'a.txt'), 'written before');
    await using(published('server-filesystem', folder), { strict, handlers: { roots } }, async (client, callText) => {
      expect(names(await client.tools.list().all())).toEqual(expect.arrayContaining(['read_text_file', 'write_file']));
      expect(await callText('list_directory', { path: folder })).toContain('[FILE] a.txt');
      expect(await callText('read_text_file', { path: join(folder, 'a.txt') })).toBe('written before');
      await callText('write_file', { path: join(folder, 'b.txt'), content: 'written by a tool' });
      expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('written by a tool');
      expect(await client.tools.call('read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true });
    });
  });

  it('server-memory stores entities in the file that its environment names', async () => {
    const file = join(folder, `memory-${strict}.jsonl`);
    const command = { ...published('server-memory'), env: { MEMORY_FILE_PATH: file } };
    await using(command, { strict }, async (client) => {
      expect(names(await client.tools.list().all())).toContain('create_entities');
      expect(await client.resources.list().all()).toMatchObject([{ uri: 'memory://knowledge-graph' }]);
      const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote a program'] }];
      await client.tools.call('create_entities', { entities });
      const graph = await client.tools.call('read_graph');
      expect(graph).toMatchObject({ structuredContent: { entities, relations: [] } });
      expect(await client.tools.call('search_nodes', { query: 'Ada' })).toMatchObject({
        structuredContent: { entities },
      });
    });
    expect(await readFile(file, 'utf8')).toContain('wrote a program');
  });
});

it('server-everything has the client run elicitation and sampling as tasks', async () => {
  await using(published('server-everything', 'stdio'), { strict: true }, async (_client, callText) => {
    expect(await callText('trigger-elicitation-request-async')).toMatch(/^\[COMPLETED\][^]*Name: Ada/);
    expect(await callText('trigger-sampling-request-async', { prompt: 'What now?' })).toContain('Go on.');
  });
});
