/** `tenon info --snapshot`, `tenon diff`: what a change of a server means for its callers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'tenon';
import { createCapture } from 'tenon/capture';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typed } from './terminal.ts';

/** A file of JavaScript has no types. */
const { default: before } = (await import(new URL('./fixtures/contract/before.js', import.meta.url).href)) as {
  readonly default: Parameters<typeof connect>[0];
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-contract-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const parsed = (out: string): Record<string, never> => JSON.parse(out).result;

/** Calls the server before its change, and writes what happened. */
async function recorded(name: string, calls: readonly Record<string, unknown>[]): Promise<string> {
  const lines: string[] = [];
  const capture = createCapture({ write: (line) => void lines.push(line) });
  await using client = await connect(before, { tap: capture.tap, protocolVersions: ['2025-11-25'] });
  for (const args of calls) await client.tools.call('forecast', args);
  await client.close();
  capture.end();
  const file = join(folder, name);
  writeFileSync(file, lines.join(''));
  return file;
}

describe('tenon diff', () => {
  it('compares a stored snapshot with a server, names the callers that break, and exits with 1 [S31]', async () => {
    const file = join(folder, 'server.json');
    expect(await typed(`tenon info ./contract/before.js --snapshot ${file}`)).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ snapshot: 1, tools: [{ name: 'forecast' }, {}] });
    const { code, out } = await typed(`tenon diff ${file} ./contract/after.js`);
    expect(code).toBe(1);
    expect(out).toBe(
      [
        'breaks     server protocolVersions',
        '           Protocol version 2024-11-05 is not supported any more. It is about callers that use 2024-11-05.',
        'breaks     server protocolVersions',
        '           Protocol version 2025-03-26 is not supported any more. It is about callers that use 2025-03-26.',
        'breaks     server protocolVersions',
        '           Protocol version 2026-07-28 is not supported any more. It is about callers that use 2026-07-28.',
        'breaks     tool forecast input.unit',
        '           `unit` does not take "k" any more. It is about callers that send "k" as `unit`.',
        'breaks     tool history',
        '           It was removed. It is about callers that call `history`.',
        'review     tool forecast description',
        '           The description changed.',
        'safe       tool forecast input.days',
        '           `days` was added, and is optional.',
        '5 breaks, 1 review, 1 safe.\n',
      ].join('\n'),
    );
  });

  it('--strict exits with 1 also if something is undecided, of the changes or of recorded calls', async () => {
    const [loose, narrow] = [{ type: 'string' }, { type: 'string', format: 'uri' }];
    const [one, other] = [loose, narrow].map((city, index) => {
      const inputSchema = { type: 'object', properties: { city }, required: ['city'] };
      const tools = [{ name: 'forecast', inputSchema }];
      const empty = { capabilities: { tools: {} }, resources: [], templates: [], prompts: [] };
      const file = join(folder, `strict-${index}.json`);
      writeFileSync(file, JSON.stringify({ snapshot: 1, protocolVersion: '2025-11-25', tools, ...empty }));
      return file;
    });
    expect((await typed(`tenon diff ${one} ${other}`)).code).toBe(0);
    const strict = await typed(`tenon diff ${one} ${other} --strict`);
    expect(strict).toMatchObject({ code: 1, out: expect.stringMatching(/^undecided .*tool forecast/) });
    expect((await typed(`tenon diff ${other} ${one} --strict`)).code).toBe(0);
    const calls = await recorded('strict.mcp.ndjson', [{ city: 'city:rome' }]);
    expect((await typed(`tenon diff ${one} ${other} --calls ${calls}`)).code).toBe(0);
    expect((await typed(`tenon diff ${one} ${other} --calls ${calls} --strict`)).code).toBe(1);
  });

  it('a file that is neither a server nor a snapshot is refused as such', async () => {
    const file = join(folder, 'before.snapshot');
    writeFileSync(file, '{}');
    const { code, err } = await typed(`tenon diff ${file} ./contract/after.js`);
    expect(code).toBe(2);
    expect(err).toContain(`${file} is not a server.`);
    expect(err).toContain('--snapshot');
  });

  it('finds no change between a server and itself', async () => {
    const { code, out } = await typed('tenon diff ./contract/after.js ./contract/after.js');
    expect({ code, out }).toEqual({ code: 0, out: 'No changes.\n' });
  });

  it('--calls judges recorded calls, which decide the exit code [S31]', async () => {
    const works = await recorded('works.mcp.ndjson', [{ city: 'Rome' }, { city: 'Rome', unit: 'c' }]);
    const good = await typed(`tenon diff ./contract/before.js ./contract/after.js --calls ${works}`);
    expect(good.code).toBe(0);
    expect(good.out).toContain('Recorded calls: 2 safe.\n');
    const breaks = await recorded('breaks.mcp.ndjson', [{ city: 'Rome' }, { city: 'Rome', unit: 'k' }]);
    const bad = await typed(`tenon diff ./contract/before.js ./contract/after.js --calls ${breaks} --json`);
    expect(bad.code).toBe(1);
    expect(parsed(bad.out)).toMatchObject({
      effect: 'breaks',
      calls: [
        { effect: 'safe', method: 'tools/call', name: 'forecast', reasons: [] },
        { effect: 'breaks', reasons: [expect.stringContaining('`unit`')] },
      ],
    });
  });

  it.each([
    [
      'a file that is not there',
      'nothing.json ./contract/after.js',
      2,
      /There is no file .*nothing\.json.*--snapshot FILE/,
    ],
    ['a file that is no snapshot', 'EMPTY ./contract/after.js', 2, /not a snapshot of a server: It has no version/],
    [
      'a capture that is not there',
      './contract/after.js ./contract/after.js --calls no',
      2,
      /There is no file .*no\. Pass a capture/,
    ],
    ['one server only', './contract/after.js', 2, /No server was named/],
  ])('refuses %s and says what to do', async (_, line, expected, message) => {
    const empty = join(folder, 'empty.json');
    writeFileSync(empty, '{}');
    const { code, err } = await typed(`tenon diff ${line.replace('EMPTY', empty)}`);
    expect(err).toMatch(message);
    expect(code).toBe(expected);
  });
});

describe('tenon types', () => {
  it('writes a module with the types of the tools, or prints it [S31]', async () => {
    const file = join(folder, 'weather.ts');
    const { code, out } = await typed(`tenon types ./contract/before.js -o ${file}`);
    expect({ code, out }).toEqual({ code: 0, out: `${file} has the types of 2 tools and 0 prompts.\n` });
    expect(readFileSync(file, 'utf8')).toContain('export type ForecastOutput = {\n  celsius: number;');
    const printed = await typed('tenon types ./contract/before.js --tool forecast --json');
    expect(parsed(printed.out)).toMatchObject({ tools: 1, module: expect.not.stringContaining('HistoryInput') });
  });

  it.each(['types ./contract/before.js -o none/weather.ts', 'info ./contract/before.js --snapshot none/weather.json'])(
    '%s names the folder that is not there',
    async (line) => {
      const { code, err } = await typed(`tenon ${line}`);
      expect(err).toMatch(/There is no folder .*none\. Create it first\./);
      expect(code).toBe(2);
    },
  );

  it('refuses a tool that the server does not have, and suggests the nearest', async () => {
    const { code, err } = await typed('tenon types ./contract/before.js --tool forcast');
    expect(code).toBe(2);
    expect(err).toContain('Did you mean forecast?');
  });
});
