/** `--save` loses nothing: neither the result of a call that cannot be saved, nor a file that is there. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { content, createServer, prompt, promptResult, serveHttp, tool } from 'tenon';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { typed } from './terminal.ts';

let folder = '';
let url = '';
let close: () => Promise<unknown>;
let calls = 0;
beforeEach(async () => {
  calls = 0;
  folder = mkdtempSync(join(tmpdir(), 'tenon-save-'));
  const draw = tool({}, () => {
    calls++;
    return content({ type: 'image', data: Buffer.from(`${calls}`).toString('base64'), mimeType: 'image/png' });
  });
  const image = { type: 'image', data: 'QQ==', mimeType: 'image/png' } as const;
  const two = prompt({}, () =>
    promptResult({ messages: [image, image].map((content) => ({ role: 'user', content })) }),
  );
  const server = createServer({ name: 'draws', version: '1.0.0', tools: { draw }, prompts: { two } });
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

describe('--save', () => {
  it.each(['file', 'file/inner', 'file/inner/more'])('calls nothing if %s cannot be a folder [S31]', async (path) => {
    writeFileSync(join(folder, 'file'), '');
    const { code, out, err } = await typed(`tenon call ${url} draw --save ${path}`, { cwd: folder });
    expect({ code, out, calls }).toEqual({ code: 2, out: '', calls: 0 });
    expect(err).toContain(`Nothing can be saved to ${join(folder, path)}: `);
  });

  it('answers nothing either', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { code, err } = await typed(`tenon answer 0123456789 --save file --accept`, { cwd: folder });
    expect(code).toBe(2);
    expect(err).toContain('Nothing can be saved to ');
  });

  it('keeps all images of a prompt', async () => {
    expect((await typed(`tenon get ${url} two --save .`, { cwd: folder })).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['image-1-2.png', 'image-1.png']);
  });

  it('replaces no file', async () => {
    const drawings = join(folder, 'new', 'drawings');
    for (let call = 0; call < 3; call++) await typed(`tenon call ${url} draw --save ${drawings}`);
    expect(readdirSync(drawings).sort()).toEqual(['image-1-2.png', 'image-1-3.png', 'image-1.png']);
    expect(readFileSync(join(drawings, 'image-1.png'), 'utf8')).toBe('1');
    expect(readFileSync(join(drawings, 'image-1-3.png'), 'utf8')).toBe('3');
  });
});
