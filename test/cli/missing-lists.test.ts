/** A server that declares a feature and lacks one of its lists: that list is empty, everywhere. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'tenon';
import { createHost } from 'tenon/host';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { typed } from './terminal.ts';

const program = new URL('./fixtures/few-lists.mjs', import.meta.url).pathname;
const server = { command: process.execPath, args: [program] };

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-lists-'));
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { few: server } }));
});
afterAll(() => rmSync(folder, { recursive: true }));

const type = (line: string) => typed(line, { cwd: folder });

it('a list that a server does not have is empty, and another unknown method names itself', async () => {
  await using client = await connect(server);
  expect(await client.resources.list().all()).toHaveLength(1);
  expect(await client.resources.listTemplates().all()).toEqual([]);
  expect(await client.prompts.list().all()).toEqual([]);
  await expect(client.resources.read('note://a')).rejects.toMatchObject({
    reason: 'method-not-found',
    method: 'resources/read',
  });
});

it('info --snapshot, types and diff work with it', async () => {
  const command = `-- ${process.execPath} ${program}`;
  expect(await type(`tenon info --snapshot few.json ${command}`)).toMatchObject({ code: 0, err: '' });
  expect(await type(`tenon types ${command}`)).toMatchObject({ code: 0, err: '' });
  expect(await type(`tenon diff few.json ${command}`)).toMatchObject({ code: 0, err: '' });
});

it('such a server can be approved, and a locked host shows its tools', async () => {
  expect(await type('tenon lock approve --yes')).toMatchObject({ code: 0 });
  await using host = createHost({ servers: { few: server }, lock: join(folder, 'mcp.lock'), consent: 'allow-all' });
  const { items, errors } = await host.tools.list();
  expect(items).toMatchObject([{ originalName: 'echo' }]);
  expect(errors).toEqual([]);
});

it('the error of the command line names the method that the server does not know', async () => {
  const command = `-- ${process.execPath} ${program}`;
  expect(await type(`tenon call echo ${command}`)).toMatchObject({
    code: 7,
    err: 'tenon: tools/call: Method not found\n',
  });
  const { error } = JSON.parse((await type(`tenon call echo --json ${command}`)).out);
  expect(error).toMatchObject({ message: 'tools/call: Method not found', rpc: { method: 'tools/call' } });
  expect(await type(`tenon read note://a ${command}`)).toMatchObject({
    code: 7,
    err: 'tenon: resources/read: note://a: Method not found\n',
  });
});
