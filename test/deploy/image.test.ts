/** The Dockerfile of the recipe: two linters, and its steps with npm in empty folders, where no container engine is. */
import { exec } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, toText } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { requires } from '../kit/requires.ts';
import { packInto } from '../package/new-project.ts';
import { buildImage, type Image } from './dockerfile.ts';
import { emptyFolder, recipeFile, recipeFolder, start } from './recipe.ts';
import { writeSecrets } from './secrets.ts';
import { installed, whyNotInstalled } from './tools.ts';

const dockerfile = recipeFile('docker', 'Dockerfile');
const require = createRequire(import.meta.url);

/** Builds the image as the README does, with the packed package in place of a published one. */
async function build(): Promise<Image> {
  const packed = await packInto();
  onTestFinished(() => packed.remove());
  const context = join(packed.folder, 'context');
  await cp(recipeFolder('docker'), context, { recursive: true });
  const manifest = join(context, 'package.json');
  const version = /"tenon": "[^"]+"/;
  const text = await readFile(manifest, 'utf8');
  expect(text).toMatch(version);
  await writeFile(manifest, text.replace(version, `"tenon": "file:${join(packed.folder, packed.tarball)}"`));
  const { TSX_TSCONFIG_PATH: _, NODE_ENV: __, ...env } = process.env;
  const run = (line: string, cwd: string) => promisify(exec)(line, { cwd, env });
  await run('npm install --package-lock-only --no-audit --no-fund', context);
  return buildImage(dockerfile, { folder: packed.folder, context, run });
}

it('two linters have nothing to say about the Dockerfile', (context) => {
  requires(context, whyNotInstalled('deploy'));
  const { validate } = require(installed('deploy', 'dockerfile-utils')) as { validate(text: string): object[] };
  const { run } = require(installed('deploy', 'dockerfilelint')) as { run(folder: string, text: string): object[] };
  expect([validate(dockerfile), run(emptyFolder(), dockerfile)]).toEqual([[], []]);
  const wrong = 'FROM node:latest\nRUN apt-get install curl\nWORKDIR\n';
  expect([validate(wrong).length, run(emptyFolder(), wrong).length]).not.toContain(0);
});

it('the steps of the Dockerfile leave a program that runs, without what only the build needs', async () => {
  const { root, folder, env, user, command } = await build();
  expect([user, await readdir(root), (await readdir(folder)).sort()]).toEqual([
    'node',
    ['app'],
    ['dist', 'node_modules', 'package.json'],
  ]);
  const packages = await readdir(join(folder, 'node_modules'));
  expect(packages).toContain('tenon');
  expect(packages).not.toContain('typescript');

  const secrets = emptyFolder();
  const headers = await writeSecrets(secrets);
  const [, ...args] = command;
  const own = { ...env, HOST: '127.0.0.1', PORT: '0', SECRETS_FOLDER: secrets };
  const server = await start({ args, env: own, cwd: folder });
  const client = await connect({ url: server.url.replace('127.0.0.1', 'localhost'), headers });
  expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
  await client.close();
  expect(await server.end('SIGTERM')).toBe(0);
});
