/** Bundles a fixture into a program that starts as fast as a user's build. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { build } from 'esbuild';
import { root } from '../../architecture/source-tree.ts';

const areas = {
  stdio: 'test/node/stdio',
  'http-server': 'test/node/http-server',
  attacks: 'test/attacks',
  credentials: 'test/node/credentials',
  auth: 'test/auth/client',
  audit: 'test/guard/audit',
  approvals: 'test/guard/approvals',
  chaos: 'test/cluster/chaos',
  store: 'test/store',
  sqlite: 'test/sqlite/engine',
  nodes: 'test/cluster/nodes',
  crashes: 'test/cluster/tasks',
  host: 'test/host',
  worker: 'test/node/worker',
  tasks: 'test/client/tasks',
  'auth-server': 'test/auth-server/cluster',
  cli: 'test/cli',
  gateway: 'test/gateway',
};

/** The path of the program. Several test files may bundle it at once, so each writes a draft and renames it. */
export async function bundledProgram(name: string, area: keyof typeof areas = 'stdio'): Promise<string> {
  const folder = join(root, '.tenon', area);
  const file = join(folder, `${name}.mjs`);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`${areas[area]}/fixtures/${name}.ts`],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfig: 'tsconfig.node.json',
    mainFields: ['module', 'main'],
    external: ['cross-spawn', 'undici', '@opentelemetry/*', 'ioredis', 'jose', 'libsql', 'oidc-provider', 'pg', 'yaml'],
    // package.json declares all built files but one free of side effects.
    ignoreAnnotations: true,
    logLevel: 'silent',
  });
  await mkdir(folder, { recursive: true });
  const draft = `${file}.${process.pid}-${threadId}`;
  await writeFile(draft, outputFiles[0]?.contents ?? '');
  await rename(draft, file);
  return file;
}
