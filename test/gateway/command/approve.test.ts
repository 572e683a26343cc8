/** `tenon gateway --config FILE --approve`: what the upstreams offer goes to the lock, and a running gateway uses it. */
import { expect, it, vi } from 'vitest';
import { typed } from '../../cli/terminal.ts';
import { folderWith } from '../config/file.ts';
import { clientOf, serving, textOf, upstreamAt } from './serving.ts';

it('shows what is not approved, approves it with --yes, and the gateway that runs serves it', async () => {
  const [one, two] = [await upstreamAt('one'), await upstreamAt('two')];
  const gateway = await serving(
    `listen: 127.0.0.1:0\nlock: gateway.lock\nupstreams:\n  one: { url: '${one.url}' }\n  two: { url: '${two.url}' }\n`,
  );
  const client = await clientOf(gateway.url, { cache: false });
  await expect(client.tools.list().all()).rejects.toMatchObject({
    message: 'No upstream of the gateway is reachable.',
  });
  const cwd = gateway.folder.path;
  const looked = await typed('tenon gateway --config gateway.yaml --approve', { cwd });
  expect(looked.code).toBe(1);
  expect(looked.out).toMatch(/one:\n {2}not approved yet\n[^]*added: tool "echo"[^]*Nothing was approved: add --yes/);
  const approved = await typed('tenon gateway --config gateway.yaml --approve --yes', { cwd });
  expect(approved).toMatchObject({ code: 0, out: expect.stringContaining('Approved: one, two.') });
  await vi.waitFor(async () => expect(await client.tools.list().all()).toHaveLength(4));
  expect(textOf(await client.tools.call('two__echo', {}))).toBe('two');
  const again = await typed('tenon gateway --config gateway.yaml --approve', { cwd });
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Everything is as approved.') });
});

it('approves what can be reached, and fails for the rest', async () => {
  const one = await upstreamAt('one');
  const { path: cwd } = folderWith({
    'gateway.yaml': `lock: gateway.lock\nupstreams:\n  one: { url: '${one.url}' }\n  gone: { url: 'http://127.0.0.1:9/mcp' }\n`,
  });
  const { code, out } = await typed('tenon gateway --config gateway.yaml --approve --yes', { cwd });
  expect(code).toBe(1);
  expect(out).toContain('Approved: one.');
  expect(out).toMatch(/^gone: /m);
});

it('needs a lock in the file', async () => {
  const { path: cwd } = folderWith({ 'gateway.yaml': 'upstreams:\n  a: { url: https://a.example }\n' });
  expect(await typed('tenon gateway --config gateway.yaml --approve', { cwd })).toMatchObject({
    code: 2,
    err: expect.stringContaining('gateway.yaml has no lock'),
  });
});
