/** Variables of resource templates before their handler runs: what could lead to another path is a resource that does not exist. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, connect, createServer, resourceTemplate, serveHttp } from 'tenon';
import { createPathRoot } from 'tenon/input-safety';
import { expect, it, onTestFinished } from 'vitest';

const seen = (variables: object): string => JSON.stringify(variables);
const server = createServer({
  name: 's',
  version: '1',
  resourceTemplates: {
    'notes://days/{day}': resourceTemplate({}, seen),
    'tree://root/{+path}': resourceTemplate({}, seen),
    'file:///srv/{+path}': resourceTemplate({}, seen),
    'search://all/{topic}{?q}': resourceTemplate({}, seen),
    'page://a/{name}{#part}': resourceTemplate({}, seen),
    'raw://{+path}': resourceTemplate({ paths: 'raw' }, seen),
  },
});

/** A client over HTTP. */
async function connected(one: Parameters<typeof serveHttp>[0] = server): Promise<Client> {
  const http = await serveHttp(one, { port: 0 });
  const client = await connect(http.url);
  onTestFinished(async () => {
    await client.close();
    await http.close();
  });
  return client;
}

const textOf = async (client: Client, uri: string): Promise<unknown> => {
  const { contents } = await client.resources.read(uri);
  const [first] = contents;
  return JSON.parse((first as { text: string }).text);
};

it.each([
  ['NUL in a path', 'notes://days/a%00b'],
  ['NUL in a query', 'search://all/a?q=x%00'],
  ['..', 'notes://days/..'],
  ['an encoded ..', 'notes://days/%2e%2e'],
  ['an encoded .', 'notes://days/%2E'],
  ['.. behind an encoded slash', 'notes://days/a%2F..%2Fb'],
  ['.. between backslashes', 'notes://days/a%5C..%5Cb'],
  ['.. in a reserved path', 'tree://root/a/%2e%2e/b'],
  ['.. at the end of a reserved path', 'tree://root/a/..'],
  ['a backslash in a file path', 'file:///srv/a%5Cb'],
])('refuses %s as resource not found [S24]', async (_, uri) => {
  await expect((await connected()).resources.read(uri)).rejects.toMatchObject({ reason: 'resource-not-found' });
});

it.each([
  ['dots inside a name', 'notes://days/a..b', { day: 'a..b' }],
  ['a backslash where there are no files', 'notes://days/a%5Cb', { day: 'a\\b' }],
  ['.. in a query', 'search://all/a?q=..%2F', { topic: 'a', q: '../' }],
  ['.. in a fragment', 'page://a/b#../c', { name: 'b', part: '../c' }],
  ["what paths: 'raw' lets pass", 'raw://a/%2e%2e/b%00', { path: 'a/../b\0' }],
])('passes %s to the handler [S24]', async (_, uri, variables) => {
  expect(await textOf(await connected(), uri)).toEqual(variables);
});

it('reads only files inside a root that is passed as paths [S24]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-paths-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.txt'), 'inside');
  const root = createPathRoot(folder);
  const handler = (_: unknown, __: unknown, uri: string) => root.read(uri);
  const files = createServer({
    name: 's',
    version: '1',
    resourceTemplates: { 'file:///{+path}': resourceTemplate({ paths: root }, handler) },
  });
  const client = await connected(files);
  const { contents } = await client.resources.read(pathToFileURL(join(folder, 'a.txt')).href);
  expect(contents).toMatchObject([{ blob: btoa('inside') }]);
  for (const outside of ['/etc/hostname', join(folder, 'none.txt')])
    await expect(client.resources.read(pathToFileURL(outside).href)).rejects.toMatchObject({
      reason: 'resource-not-found',
    });
  expect(() =>
    createServer({
      name: 's',
      version: '1',
      // @ts-expect-error Neither 'raw' nor a root.
      resourceTemplates: { 'file:///{+path}': resourceTemplate({ paths: '/srv' }, () => '') },
    }),
  ).toThrow('paths');
});
