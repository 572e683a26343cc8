/** The configuration file of a cloned repository that names secrets of the environment: they are sent only after the user has seen their names. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Io } from '../../../src/cli/io/io.ts';
import { noPrompts } from '../../../src/cli/io/prompts.ts';
import { type Printed, typed } from '../../cli/terminal.ts';
import { enter, type Page } from '../../inspector/page.ts';
import { deferred } from '../../kit/deferred.ts';

const secret = 'planted-key-of-the-environment';

/** A folder with a `.mcp.json` of someone else, and a server that records what it gets. */
async function cloned() {
  const received: string[] = [];
  const http = createHttpServer(({ url, headers }, response) => {
    received.push(`${url} ${JSON.stringify(headers)}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'tenon-cloned-'));
  onTestFinished(() => {
    http.close();
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const write = (mcpServers: object): void => writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  write({
    header: { url, headers: { 'x-key': '${ANTHROPIC_API_KEY}' } },
    query: { url: `${url}?key=\${ANTHROPIC_API_KEY}` },
    program: { command: process.execPath, args: ['-e', '', '${ANTHROPIC_API_KEY}'] },
    plain: { url },
  });
  const env = { HOME: join(folder, 'home'), ANTHROPIC_API_KEY: secret };
  const asked: string[] = [];
  const answering = (answer: boolean): Partial<Io> => ({
    canAsk: true,
    prompts: {
      ...noPrompts,
      async confirm({ message }) {
        asked.push(message);
        return answer;
      },
    },
  });
  const run = (line: string, own: Partial<Io> = {}): Promise<Printed> =>
    typed(`tenon ${line}`, { cwd: folder, env, ...own });
  return { url, folder, env, received, write, asked, answering, run };
}

describe('tenon with a variable of the environment in the file of a project', () => {
  it.each(['header', 'query', 'program'])(
    'sends nothing without a terminal, and names the variable: %s [S24, S30]',
    async (name) => {
      const { run, received, folder } = await cloned();
      const { code, out, err } = await run(`ping ${name}`);
      expect(code).toBe(2);
      expect(err).toContain(`${name} in ${join(folder, '.mcp.json')} would get variables of your environment`);
      expect(err).toMatch(/ANTHROPIC_API_KEY \(in (?:url|headers|args)\)/);
      expect(err).toContain('--allow-variable ANTHROPIC_API_KEY');
      expect(out + err).not.toContain(secret);
      expect(received).toEqual([]);
    },
  );

  it('sends nothing if the user refuses, and asks once for each file and server if the user agrees', async () => {
    const { run, received, answering, asked, write, url } = await cloned();
    expect((await run('ping header', answering(false))).code).toBe(2);
    expect(received).toEqual([]);
    await run('ping header', answering(true));
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain(`It is ${url}`);
    expect(received[0]).toContain(secret);
    // Now also without a terminal; the other server of the file was not confirmed.
    await run('ping header');
    expect(received.length).toBeGreaterThan(1);
    const before = received.length;
    expect((await run('ping query')).err).toContain('ANTHROPIC_API_KEY');
    // What was confirmed is the entry, not its name.
    write({ header: { url: `${url}/elsewhere`, headers: { 'x-key': '${ANTHROPIC_API_KEY}' } } });
    expect((await run('ping header')).err).toContain('ANTHROPIC_API_KEY');
    expect(received).toHaveLength(before);
  });

  it('sends the variables that an option names, and no others', async () => {
    const { run, received } = await cloned();
    expect((await run('ping header --allow-variable OTHER')).code).toBe(2);
    expect(received).toEqual([]);
    await run('ping header --allow-variable ANTHROPIC_API_KEY');
    expect(received[0]).toContain(secret);
  });

  it('asks nothing about a server without variables, and about files of the user', async () => {
    const { run, received, folder, env } = await cloned();
    await run('ping plain');
    expect(received.length).toBeGreaterThan(0);
    const entry = JSON.parse(readFileSync(join(folder, '.mcp.json'), 'utf8')) as object;
    const home = mkdtempSync(join(folder, 'home-'));
    writeFileSync(join(home, '.claude.json'), JSON.stringify(entry));
    await run('ping header@claude-code', { env: { ...env, HOME: home } });
    expect(received.at(-1)).toContain(secret);
  });
});

describe('the inspector with a variable of the environment in the file of a project', () => {
  async function inspecting(io: Partial<Io>, use: (page: Page) => Promise<void>): Promise<void> {
    const interrupt = new AbortController();
    const printed = deferred<string>();
    const running = typed('tenon inspect', { ...io, signal: interrupt.signal, out: (text) => printed.resolve(text) });
    const page = await enter((await printed.promise).trim().split(' ')[1] ?? '');
    try {
      await use(page);
    } finally {
      page.close();
      interrupt.abort();
      await running;
    }
  }

  it('sends it after its name was shown and confirmed, once [S24, S32]', async () => {
    const { received, folder, env, run } = await cloned();
    const io = { cwd: folder, env };
    const target = { kind: 'configured', name: 'header', file: join(folder, '.mcp.json') } as const;
    await inspecting(io, async (page) => {
      await expect(page.call('connect', { target })).rejects.toMatchObject({ code: 'confirmation-needed' });
      await expect(page.call('connect', { target, nonce: 'x' })).rejects.toMatchObject({ code: 'confirmation-needed' });
      const { sends } = await page.call('prepare', { target });
      expect(sends?.variables).toEqual([{ variable: 'ANTHROPIC_API_KEY', field: 'headers' }]);
      expect(received).toEqual([]);
      await page.call('connect', { target, nonce: sends?.nonce ?? '' });
      await page.event('client', ({ client }) => client.error !== undefined);
      expect(received[0]).toContain(secret);
      expect((await page.call('prepare', { target })).sends).toBeUndefined();
    });
    const before = received.length;
    await run('ping header');
    expect(received.length).toBeGreaterThan(before);
  });

  it('does not send it if the file changed after it was shown', async () => {
    const { received, folder, env, write, url } = await cloned();
    const target = { kind: 'configured', name: 'header', file: join(folder, '.mcp.json') } as const;
    await inspecting({ cwd: folder, env }, async (page) => {
      const { sends } = await page.call('prepare', { target });
      write({ header: { url: `${url}/elsewhere`, headers: { 'x-key': '${ANTHROPIC_API_KEY}' } } });
      const connecting = page.call('connect', { target, nonce: sends?.nonce ?? '' });
      await expect(connecting).rejects.toMatchObject({ code: 'confirmation-needed' });
    });
    expect(received).toEqual([]);
  });
});
