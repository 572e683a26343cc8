/** A gateway in front of real servers that it starts as processes: what a client sees there, it sees here. */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchangeVersion, sessionVersions } from '../kit/version-order.ts';
import { openAs, openClient, served, startGateway, textOf } from './start.ts';

let folder = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-gateway-')));
  await writeFile(join(folder, 'a.txt'), 'written before');
});
afterAll(() => rm(folder, { recursive: true }));

const published = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));
const everything = () => ({ command: process.execPath, args: [published('server-everything'), 'stdio'] });
const files = () => ({ command: process.execPath, args: [published('server-filesystem'), folder] });

describe.each([sessionVersions.at(-1) as never, exchangeVersion])('A client of %s', (version) => {
  const protocolVersions = [version];

  it('sees the lists and results of a published server as at the server itself', async () => {
    const { gateway } = startGateway({ everything: everything() });
    const seenBy = async (target: unknown): Promise<unknown> => {
      const client = await openClient(target, target === gateway.server ? { protocolVersions } : {});
      // `execution` differs: a tool that only runs as a task can be called in either way here.
      const tools = (await client.tools.list().all()).map((tool) => ({ ...tool, execution: undefined }));
      const research = await client.tools.call('simulate-research-query', { topic: 'boats' });
      const echoed = await client.tools.call('echo', { message: 'hi' });
      return [tools, await client.prompts.list().all(), echoed, textOf(research)];
    };
    expect(await seenBy(gateway.server)).toEqual(await seenBy(everything()));
  });

  it('calls tools of two servers, each user in a process of their own', async () => {
    const { gateway } = startGateway({ everything: everything(), files: files() });
    const url = await served(gateway.server);
    for (const user of ['ada', 'bob']) {
      const client = await openAs(user, url, { protocolVersions });
      const read = await client.tools.call('files__read_text_file', { path: join(folder, 'a.txt') });
      expect(textOf(read)).toBe('written before');
    }
    expect(gateway.status().upstreams.files?.connections).toBe(2);
  });
});
