/** A project of `tenon init` becomes a bundle that the official tool accepts and unpacks, and that answers a call from there. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect, toText } from 'tenon';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { serverJsonErrors } from '../../cli/packaging/formats.ts';
import { requires } from '../../kit/requires.ts';
import { type EmptyFolder, packInto } from '../../package/new-project.ts';
import { writeProject } from '../../package/written-project.ts';

const installed = join(root, '.tenon/bundles/node_modules');

function whyNoTool(): string | undefined {
  const stamp = join(installed, '.tenon-lock');
  const lock = join(root, 'test/publish/bundles/package-lock.json');
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8');
  return isInstalled ? undefined : 'the official tool is not installed: `npm run test:long` does that';
}

/** What of the official tool is used: how an application starts a bundle. */
interface Tool {
  getMcpConfigForManifest(options: object): Promise<{ command: string; args: string[]; env: Record<string, string> }>;
}

let empty: EmptyFolder;
beforeAll(async () => {
  empty = await packInto();
});
afterAll(() => empty?.remove());

it('is accepted and unpacked by the official tool, and answers a call from there [S31]', async (context) => {
  requires(context, whyNoTool());
  const { folder, cli } = await writeProject(empty, 'stdio');
  const node = process.execPath;
  const path = join(folder, 'package.json');
  const { private: _, ...manifest } = JSON.parse(await readFile(path, 'utf8'));
  const published = {
    description: 'The forecast for a city',
    author: 'Ada Lovelace',
    mcpName: 'io.github.me/weather',
    tenon: { env: [{ name: 'UNITS', description: 'How temperatures are shown' }] },
  };
  await writeFile(path, JSON.stringify({ ...manifest, ...published }));

  expect(await empty.run(node, [cli, 'package'], folder)).toContain('Wrote weather-stdio.mcpb, server.json.');
  expect(await empty.run(node, [cli, 'package', '--check'], folder)).toBe(
    'What is published is what the server says.\n',
  );
  expect(serverJsonErrors(JSON.parse(await readFile(join(folder, 'server.json'), 'utf8')))).toEqual([]);

  const tool = join(installed, '@anthropic-ai/mcpb/dist/cli/cli.js');
  const unpacked = join(empty.folder, 'unpacked');
  await empty.run(node, [tool, 'unpack', join(folder, 'weather-stdio.mcpb'), unpacked]);
  expect(await empty.run(node, [tool, 'validate', join(unpacked, 'manifest.json')])).toContain('passes');

  const { getMcpConfigForManifest } = (await import(
    pathToFileURL(join(installed, '@anthropic-ai/mcpb/dist/index.js')).href
  )) as Tool;
  const { command, args, env } = await getMcpConfigForManifest({
    manifest: JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8')),
    extensionPath: unpacked,
    systemDirs: {},
    userConfig: {},
    pathSeparator: '/',
  });
  // What the user leaves open is not the text of its placeholder.
  expect(env).toEqual({ UNITS: '' });
  const client = await connect({ command, args, env });
  onTestFinished(() => client.close());
  expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
});
