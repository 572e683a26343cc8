/** The examples in the pages type check, run, and print what the page says. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { examplesIn } from './markdown.ts';
import { guidePages } from './pages.ts';

const folder = join(root, '.tenon/docs');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const examples = guidePages().flatMap(({ path, markdown }) =>
  examplesIn(markdown)
    .filter(({ needsPackages }) => !needsPackages)
    .map((example) => ({
      ...example,
      place: `${path}:${example.line}`,
      file: join(folder, `${path.replace(/\.md$/, '').replace(/\W+/g, '-')}-${example.line}.ts`),
    })),
);
/** The server of the README, which other pages start as `server.js`. */
const readmeServer = examples.find(
  ({ place, code }) => place.startsWith('README') && code.includes('serveStdio('),
)?.file;
const startReadmeServer = ['--import', 'tsx', readmeServer].map((arg) => `'${arg}'`).join(', ');
for (const { file, code } of examples)
  writeFileSync(file, `${code.replaceAll("['server.js']", `[${startReadmeServer}]`)}\n`);

/** Type errors of all files together, each as `file:line: text`. */
function typeErrors(files: readonly string[], options: object = {}): string[] {
  const project = join(folder, 'tsconfig.json');
  // Against the built declarations, as for a user: without `paths` the package finds itself by its exports.
  const compilerOptions = { moduleDetection: 'force', paths: {}, ...options };
  // The types of a package that has none of its own.
  const include = [...files, '../../src/dev-auth/oidc-provider.d.ts'];
  writeFileSync(project, JSON.stringify({ extends: '../../tsconfig.node.json', compilerOptions, include }));
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules/ts7/bin/tsc'), '-p', project], {
    cwd: root,
    encoding: 'utf8',
  });
  const lines = `${stdout}${stderr}`.trim().split('\n');
  return lines.filter(Boolean).map((line) => line.replace(/\((\d+),\d+\): error TS\d+: /, ':$1: '));
}

/** Imports the file as a module and resolves to its console.log output. */
async function outputOf(file: string): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
    lines.push(format(...values));
  });
  onTestFinished(() => log.mockRestore());
  await import(/* @vite-ignore */ pathToFileURL(file).href);
  return lines.join('\n');
}

describe('the examples', () => {
  it('type check', () => {
    expect(typeErrors(examples.map(({ file }) => file))).toEqual([]);
  });

  it('type check with no more than `strict`, as in the quickstart', () => {
    const lenient = { exactOptionalPropertyTypes: false, noUncheckedIndexedAccess: false };
    expect(
      typeErrors(
        examples.map(({ file }) => file),
        lenient,
      ),
    ).toEqual([]);
  });

  const run = examples.filter(({ runs }) => runs);

  it.each(run.filter(({ prints }) => prints === undefined))('at $place runs', async ({ file }) => {
    await expect(outputOf(file)).resolves.toBeTypeOf('string');
  });

  it.each(run.filter(({ prints }) => prints !== undefined))('at $place prints what the page says', async (example) => {
    expect(await outputOf(example.file)).toBe(example.prints);
  });
});

describe('a wrong example', () => {
  it('fails the type check', () => {
    const file = join(folder, 'wrong-type.ts');
    writeFileSync(file, "const count: number = 'three';\nconsole.log(count);\n");
    onTestFinished(() => rmSync(file));
    expect(typeErrors([file])).toEqual([
      ".tenon/docs/wrong-type.ts:1: Type 'string' is not assignable to type 'number'.",
    ]);
  });

  it('is detected by its output or error', async () => {
    const file = join(folder, 'prints.ts');
    const throwing = join(folder, 'throws.ts');
    writeFileSync(file, "console.log('a', { b: 1 });\nawait Promise.resolve();\nconsole.log('c');\nexport {};\n");
    writeFileSync(throwing, "throw new Error('broken example');\n");
    onTestFinished(() => [file, throwing].forEach((each) => rmSync(each)));
    expect(await outputOf(file)).toBe('a { b: 1 }\nc');
    await expect(outputOf(throwing)).rejects.toThrow('broken example');
  });
});
