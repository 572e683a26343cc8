import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileCases } from './hostile-cases.ts';

/** Prints the outcome of each case when it is done: after a hang, the first missing case is the cause. */
const program = `
  import { hostileCases, outcomeOf } from './hostile-cases.ts';
  let canGenerate = true;
  try { new Function('return 1'); } catch { canGenerate = false; }
  console.log(JSON.stringify(['code generation', canGenerate]));
  for (const hostile of hostileCases) {
    const outcome = await outcomeOf(hostile).catch((error) => 'threw ' + error);
    console.log(JSON.stringify([hostile.name, outcome]));
  }
`;
const limitMs = 120_000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-hostile-'));
  await build({
    stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(folder, 'hostile.mjs'),
    logLevel: 'error',
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs all cases in a new process, which is killed after limitMs. */
function outcomes(...flags: string[]): Promise<ReadonlyMap<string, unknown>> {
  const args = [...flags, join(folder, 'hostile.mjs')];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: limitMs, killSignal: 'SIGKILL' }, (_, stdout) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      resolve(new Map(lines.map((line) => JSON.parse(line) as [string, unknown])));
    });
  });
}

describe.each([
  ['where code can be generated', [], true],
  ['where code generation is forbidden', ['--disallow-code-generation-from-strings'], false],
] as const)('hostile schemas and values, %s,', (_, flags, canGenerate) => {
  let found: ReadonlyMap<string, unknown> = new Map();
  beforeAll(async () => {
    found = await outcomes(...flags);
  }, limitMs + 10_000);

  it('run in such a process', () => {
    expect(found.get('code generation')).toBe(canGenerate);
  });

  it.each(hostileCases)('$name: $outcome [e-jsonschema-14]', ({ name, outcome }) => {
    expect(found.get(name)).toBe(outcome);
  });
});
