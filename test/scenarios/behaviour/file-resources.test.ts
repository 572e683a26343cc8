/** Files behind a template, as in the guide: no URI reaches outside the folder. */
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';
import { connect, createServer, resourceTemplate } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let root = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tenon-files-'));
  await mkdir(join(root, 'open', 'deep'), { recursive: true });
  await mkdir(join(root, 'open-too'));
  await writeFile(join(root, 'open', 'deep', 'a..b.txt'), 'fine');
  await writeFile(join(root, 'secret.txt'), 'secret');
  await writeFile(join(root, 'open-too', 'secret.txt'), 'secret');
  await symlink(join(root, 'secret.txt'), join(root, 'open', 'link.txt'));
});

afterAll(() => rm(root, { recursive: true }));

async function fileIn(folder: string, path: string): Promise<string | undefined> {
  const found = await realpath(join(folder, path)).catch(() => undefined);
  if (found === undefined) return undefined;
  const way = relative(await realpath(folder), found);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : found;
}

const server = createServer({
  name: 'files',
  version: '1',
  resourceTemplates: {
    'files:///{+path}': resourceTemplate({}, async ({ path }) => {
      const file = await fileIn(join(root, 'open'), String(path));
      return file === undefined ? undefined : readFile(file, 'utf8');
    }),
  },
});

describe.each(protocolVersions)('files of a folder at %s', (revision) => {
  it('are read by their path', async () => {
    await using client = await connect(server, { protocolVersions: [revision] });
    expect((await client.resources.read('files:///deep/a..b.txt')).contents).toMatchObject([{ text: 'fine' }]);
  });

  it.each([
    '../secret.txt',
    '..%2Fsecret.txt',
    '%2e%2e/secret.txt',
    'deep/../../secret.txt',
    '../open-too/secret.txt',
    'link.txt',
    'secret.txt%00',
  ])('cannot be escaped by %s [e-resources-23]', async (path) => {
    await using client = await connect(server, { protocolVersions: [revision] });
    const code = revision === '2026-07-28' ? -32602 : -32002;
    await expect(client.resources.read(`files:///${path}`)).rejects.toMatchObject({ code });
  });
});
