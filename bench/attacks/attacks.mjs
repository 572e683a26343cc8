/** The cost of each attack of test/attacks in a process with a heap of 512 MB: processor time and peak memory. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { table, threeFigures } from '../lib/report.mjs';
import { median } from '../lib/statistics.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const repeats = 3;
/** The programs with the attacks. */
const fixtures = [
  'large-message',
  'costly-inputs',
  'costly-answers',
  'http-floods',
  'held-input',
  'held-output',
  'endless-list',
  'repeated-messages',
];

export async function measure(print) {
  await mkdir(join(root, '.tenon'), { recursive: true });
  const folder = await mkdtemp(join(root, '.tenon', 'attacks-'));
  try {
    const rows = [];
    for (const fixture of fixtures) {
      const program = await bundle(folder, fixture);
      for (const name of JSON.parse(await run(program))) rows.push(await cost(program, name));
    }
    print('### Attacks, each in a process of its own with a heap of 512 MB');
    print(table(['attack', 'processor time, ms', 'peak memory, MB'], rows.map(show)));
    return rows;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function bundle(folder, fixture) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`test/attacks/fixtures/${fixture}.ts`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfig: 'tsconfig.node.json',
    external: ['cross-spawn', 'undici', 'yaml'],
    ignoreAnnotations: true,
  });
  const file = join(folder, `${fixture}.mjs`);
  await writeFile(file, outputFiles[0].contents);
  return file;
}

async function cost(program, name) {
  const reports = [];
  for (let n = 0; n < repeats; n++) reports.push(JSON.parse(await run(program, name)));
  return {
    name,
    cpuMs: median(reports.map(({ cpuMs }) => cpuMs)),
    peakMb: Math.max(...reports.map(({ peakMb }) => peakMb)),
  };
}

async function run(program, ...args) {
  const heap = ['--max-old-space-size=512', program, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, heap, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const show = ({ name, cpuMs, peakMb }) => [name, threeFigures(cpuMs), String(peakMb)];
