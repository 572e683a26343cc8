/** `tenon tasks`, and calls that become tasks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveHttp } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import server from './fixtures/asking.ts';
import { type Printed, typed } from './terminal.ts';

let url = '';
let close: () => Promise<unknown>;
let home = '';
beforeAll(async () => {
  const service = await serveHttp(server, { port: 0 });
  url = String(service.url);
  close = () => service.close();
  home = mkdtempSync(join(tmpdir(), 'tenon-tasks-'));
});
afterAll(async () => {
  await close();
  rmSync(home, { recursive: true });
});

const type = (line: string): Promise<Printed> => typed(line, { env: { HOME: home } });
const envelope = ({ out }: Printed) => JSON.parse(out);

it('a call that becomes a task asks, and is continued by its task [S31]', async () => {
  const call = await type(`tenon call ${url} report --json`);
  expect(call.code).toBe(5);
  const { id, questions } = envelope(call).pending;
  expect(questions).toMatchObject([{ params: { message: 'Which year?' } }]);
  expect(await type(`tenon answer ${id} year=1999`)).toEqual({ code: 0, out: 'report of 1999\n', err: '' });
});

describe.each([
  ['by itself', ''],
  ['in a session', ' --protocol-version 2025-11-25'],
])('a task that is started %s', (_, options) => {
  it('is listed, shown, asks for input, and has a result [S31]', async () => {
    const { taskId } = envelope(await type(`tenon call ${url} report --detach --json${options}`)).result;
    const list = envelope(await type(`tenon tasks ${url} --json${options}`)).result;
    expect(list).toEqual(expect.arrayContaining([expect.objectContaining({ taskId })]));
    expect((await type(`tenon tasks ${url} show ${taskId}${options}`)).out).toMatch(new RegExp(`^${taskId} +\\w+`));
    const result = await type(`tenon tasks ${url} result ${taskId} --json${options}`);
    expect(result.code).toBe(5);
    const { id } = envelope(result).pending;
    expect(await type(`tenon answer ${id} year:=2001`)).toMatchObject({ code: 0, out: 'report of 2001\n' });
  });

  it('is cancelled', async () => {
    const { taskId } = envelope(await type(`tenon call ${url} report --detach --json${options}`)).result;
    expect(envelope(await type(`tenon tasks ${url} cancel ${taskId} --json${options}`)).result.status).toBe(
      'cancelled',
    );
    const result = await type(`tenon tasks ${url} result ${taskId}${options}`);
    expect(result.err).toMatch(/cancelled/);
  });
});

it.each([
  ['tasks URL shw x', 2, /Did you mean show\?/],
  ['tasks URL show', 2, /ID is missing/],
  ['tasks URL show nothing', 7, /nothing/],
  ['call URL trip --detach', 7, /did not become a task/],
  ['call ./asking.ts report --detach', 2, /--detach needs a server at a URL/],
])('%s exits with its code and says what to do', async (line, code, message) => {
  const printed = await type(`tenon ${line.replace('URL', url)}`);
  expect(printed).toMatchObject({ code, err: expect.stringMatching(message) });
});
