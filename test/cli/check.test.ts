/** `tenon check` and `tenon eval`, as they are typed: their reports, exit codes, and what they refuse. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { published } from '../kit/peers/programs.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { program } from './program.ts';
import { type Printed, typed } from './terminal.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-check-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const server = './tool-quality.js';
const result = ({ out }: Printed) => JSON.parse(out).result;

describe('tenon check', () => {
  it('shows tokens by tool and findings by rule, and exits with 1 if one is an error [S31]', async () => {
    const { code, out } = await typed(`tenon check ${server}`);
    expect(code).toBe(1);
    expect(out).toMatch(/^quality 1\.0\.0\n3 tools, about \d+ tokens in every request\.\n\nsearch +\d+\n/);
    expect(out).toMatch(
      /\nerror description-missing\n {2}bare: The tool has no description\.\n {2}→ Write what it does/,
    );
    expect(out).toMatch(/\nerror hints-contradict\n {2}delete_all: /);
    expect(out).toMatch(/\n2 errors, 1 note\.\n$/);
  });

  it('names tools that clients leave out, although none of them is in the list', async () => {
    const broken = join(import.meta.dirname, '../agents/fixtures/broken-schemas.mjs');
    const { code, out } = await typed(`tenon check --json -- node ${broken}`);
    expect(code).toBe(1);
    const { findings, tools } = result({ out } as Printed) as {
      findings: { rule: string; tool: string; text: string }[];
      tools: { name: string }[];
    };
    const left = findings.filter(({ rule }) => rule === 'definition-invalid');
    expect(left.map(({ tool }) => tool)).toEqual(expect.arrayContaining(['root_string', 'missing', 'null_schema']));
    expect(left[0]?.text).toMatch(/^The tool \w+ is left out: its inputSchema .*\.$/);
    expect(tools.map(({ name }) => name)).not.toContain('missing');
  });

  it('exits with 0 without errors, and with 1 over the budget', async () => {
    const ignore = '--ignore description-missing --ignore hints-contradict:delete_all';
    expect((await typed(`tenon check ${server} ${ignore}`)).code).toBe(0);
    const over = await typed(`tenon check ${server} ${ignore} --budget 20 --json`);
    expect(over.code).toBe(1);
    expect(result(over)).toMatchObject({
      server: { name: 'quality', version: '1.0.0' },
      tokens: expect.any(Number),
      budget: 20,
      findings: [
        { rule: 'over-budget', level: 'error' },
        { rule: 'arguments-undescribed', tool: 'search' },
      ],
    });
  });

  it('fits a narrow terminal', async () => {
    const { out } = await typed(`tenon check ${server}`, { columns: 44 });
    expect(out.split('\n').filter((line) => line.length > 44)).toEqual([]);
  });

  it('calls examples, and measures their results', async () => {
    const file = written('examples.json', { search: [{ q: 'x' }, { q: 'all' }], bare: [{}] });
    const { code, out } = await typed(`tenon check ${server} --examples ${file} --result-budget 100`, { columns: 200 });
    expect(code).toBe(1);
    expect(out).toContain('search: The result of example 2 takes about 1000 tokens. The budget for a result is 100.');
    expect(out).toContain('bare: Example 1 ended with an error: "The tool bare failed.".');
  });

  it('checks a stored snapshot without a server', async () => {
    const file = join(folder, 'server.json');
    await typed(`tenon info ${server} --snapshot ${file}`);
    const both = await Promise.all([file, server].map((target) => typed(`tenon check ${target} --json`)));
    const [stored, live] = both.map(result);
    expect(stored.tools).toEqual(expect.arrayContaining(live.tools));
    expect(stored.tokens).toBe(live.tokens);
  });

  it('--format junit has a test case for each tool, escaped', async () => {
    const { out } = await typed(`tenon check ${server} --format junit`);
    expect(out).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="4" failures="2">/);
    expect(out).toContain('<testcase classname="quality" name="all tools" time="0"/>');
    expect(out).toMatch(/<failure type="hints-contradict" message="It has readOnlyHint, and &quot;delete&quot;/);
  });

  it('--format sarif has rules, levels and the file of the server', async () => {
    const { out } = await typed(`tenon check ${server} --format sarif`);
    const { version, runs } = JSON.parse(out);
    expect(version).toBe('2.1.0');
    expect(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)).toContain('description-missing');
    expect(runs[0].results[0]).toMatchObject({
      ruleId: 'description-missing',
      level: 'error',
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: 'tool-quality.js' } },
          logicalLocations: [{ name: 'bare', kind: 'function' }],
        },
      ],
    });
  });

  it.each([
    ['--ignore nothing', /There is no rule "nothing"/],
    ['--ignore description-lon', /Did you mean description-long\?/],
    ['--json --format junit', /--json and --format exclude each other/],
    ['--budget none', /--budget cannot be "none"/],
    ['--examples none.json', /There is no file .*none\.json/],
  ])('refuses %s', async (options, message) => {
    const { code, out, err } = await typed(`tenon check ${server} ${options}`);
    expect(`${out}${err}`).toMatch(message);
    expect(code).toBe(2);
  });

  it.each([
    ['[]', /is not a JSON object/],
    ['{"search": {}}', /"search" is not a list of objects/],
    ['{"serch": []}', /Did you mean search\?/],
    ['{', /is not JSON: .* in line 1/],
  ])('refuses the examples %s', async (text, message) => {
    const { code, err } = await typed(`tenon check ${server} --examples ${written('wrong.json', text)}`);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });

  it.each([
    ['server-everything', ['stdio'], ['schema-rejected gzip-file-as-resource']],
    [
      'server-filesystem',
      [tmpdir()],
      [
        'descriptions-alike list_directory_with_sizes',
        ...[
          'read_file',
          'read_text_file',
          'read_media_file',
          'write_file',
          'edit_file',
          'directory_tree',
          'get_file_info',
        ].map((name) => `arguments-undescribed ${name}`),
      ],
    ],
    ['server-memory', [], []],
  ])('finds in %s of npm what was looked at by hand [S31]', async (name, args, expected) => {
    const program = published(name, ...args);
    const printed = await typed(['tenon', 'check', '--json', '--quiet', '--', program.command, ...program.args], {
      env: { HOME: folder, PATH: process.env.PATH },
    });
    expect(printed.code).toBe(0);
    const { findings } = result(printed) as { findings: { rule: string; tool: string }[] };
    expect(findings.map(({ rule, tool }) => `${rule} ${tool}`)).toEqual(expected);
  });
});

describe('tenon eval', () => {
  const prompts = [
    { prompt: 'Find boats', expected: ['search'], script: [{ name: 'search', arguments: { q: 'boats' } }] },
    { prompt: 'Say hello', forbidden: ['*'], script: [{ name: 'delete_all' }] },
  ];

  it('plays the scripts of the file, shows a row for each prompt, and exits with 1 on a miss [S31]', async () => {
    const { code, out } = await typed(`tenon eval ${written('prompts.json', { prompts })} ${server}`);
    expect(code).toBe(1);
    expect(out).toBe(
      [
        '✓  Find boats  search',
        '✗  Say hello   delete_all',
        '',
        'Say hello',
        '  `delete_all` was called, and is forbidden.',
        '',
        '2 prompts, 1 missed.\n',
      ].join('\n'),
    );
    const passing = await typed(`tenon eval ${written('passing.json', { prompts: prompts.slice(0, 1) })} ${server}`);
    expect(passing).toMatchObject({ code: 0, out: expect.stringContaining('1 prompt, none missed.') });
  });

  it('runs the agent of a module, with the tools of the server, and results of the file instead of running tools', async () => {
    const file = written('agent.json', {
      prompts: [{ prompt: 'bare', expected: ['bare'] }],
      results: { bare: 'stored' },
    });
    const printed = await typed(`tenon eval ${file} ${server} --agent ./eval-agent.js --json`);
    expect(printed.code).toBe(0);
    expect(result(printed)).toMatchObject({
      prompts: 1,
      missed: 0,
      outcomes: [{ passed: true, calls: [{ name: 'bare' }], answer: '3 tools: stored' }],
    });
  });

  it('runs an agent with tools of its own, without a server', async () => {
    const file = written('own.json', { prompts: [{ prompt: 'own', expected: ['mine'] }] });
    expect((await typed(`tenon eval ${file} --agent ./eval-agent.js`)).code).toBe(0);
  });

  it('ends a prompt after its calls are used up', async () => {
    const file = written('loop.json', { prompts: [{ prompt: 'loop', expected: ['search'] }] });
    const { code, out } = await typed(`tenon eval ${file} ${server} --agent ./eval-agent.js --steps 4`);
    expect(code).toBe(1);
    expect(out).toMatch(/search ×4\n\nloop\n {2}It made more than 4 calls\./);
  });

  it.each([
    [
      'does not answer',
      'export default () => new Promise(() => setInterval(() => {}, 1000));',
      1,
      /"The agent went on/,
    ],
    [
      'is never loaded',
      'setInterval(() => {}, 1000); await new Promise(() => {});',
      6,
      /hung\.mjs was not loaded within/,
    ],
  ])('exits after an agent that %s', async (_what, code, exit, reason) => {
    const file = written('hung.json', { prompts: [{ prompt: 'x', expected: ['y'] }] });
    const options = ['--agent', written('hung.mjs', code), '--seconds', '0.1', '--json'];
    const { command, args } = program('eval', file, ...options);
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    expect(await withTimeout(ended, 'the exit of tenon eval', 60_000)).toBe(exit);
    expect(out).toMatch(reason);
  });

  it.each([
    ['{"prompts": []}', '', /has no prompts/],
    ['{"prompts": [{"prompt": "x"}]}', '', /prompts\[0\] has neither expected nor forbidden/],
    ['{"prompts": [{"prompt": "x", "expects": ["a"]}]}', '', /Did you mean expected\?/],
    [
      '{"prompts": [{"prompt": "x", "expected": ["serch"]}]}',
      '--agent ./eval-agent.js',
      /names the tool "serch".*Did you mean search/,
    ],
    ['{"prompts": [{"prompt": "x", "expected": ["search"]}]}', '', /prompts\[0\] of .* has no script/],
    [
      '{"prompts": [{"prompt": "x", "expected": ["search"]}]}',
      '--agent ./server.ts',
      /no function as its default export/,
    ],
    ['{"prompts": [{"prompt": "x", "expected": ["search"]}]}', '--agent ./none.js', /There is no file .*none\.js/],
    [
      '{"prompts": [{"prompt": "x", "expected": ["search"]}]}',
      '--agent ./throwing.js',
      /throwing\.js could not be loaded/,
    ],
    ['{"prompts": [{"prompt": "x", "expected": ["search"]}]}', '--steps 5000', /--steps cannot be 5000/],
  ])('refuses %s %s', async (text, options, message) => {
    const { code, err } = await typed(`tenon eval ${written('refused.json', text)} ${server} ${options}`.trim());
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });

  it('needs a server for scripts', async () => {
    expect((await typed(`tenon eval ${written('prompts.json', { prompts })}`)).err).toMatch(
      /Neither a server nor an agent/,
    );
  });
});
