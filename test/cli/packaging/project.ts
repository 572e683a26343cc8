/** A project in a folder of its own, with a server that clients start, to be packaged. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { type Printed, typed } from '../terminal.ts';

/** Fields of package.json; `undefined` takes one out. */
export type Fields = Readonly<Record<string, unknown>>;

export const manifest: Fields = {
  name: '@me/weather',
  version: '1.2.0',
  description: 'The weather of any city',
  license: 'MIT',
  author: 'Ada Lovelace <ada@example.com>',
  repository: 'github:me/weather',
  engines: { node: '>=20.19' },
  type: 'module',
  bin: { weather: './dist/main.js' },
  mcpName: 'io.github.me/weather',
  tenon: {
    env: [
      { name: 'API_KEY', description: 'The key of your account', isSecret: true, isRequired: true },
      { name: 'UNITS', description: 'How temperatures are shown', default: 'metric', choices: ['metric', 'us'] },
    ],
    bundle: { url: 'https://github.com/me/weather/releases/download/v{version}/weather.mcpb', files: ['assets'] },
  },
};

export const program = `
import { readFileSync } from 'node:fs';
import { createServer, serveStdio, tool } from 'tenon/stdio';
import { z } from 'zod';
if (!process.env.API_KEY) {
  console.error('API_KEY is not set.');
  process.exit(1);
}
const cities = JSON.parse(readFileSync(new URL('../assets/cities.json', import.meta.url), 'utf8'));
serveStdio(createServer({
  name: 'weather',
  version: '1.2.0',
  title: 'Weather',
  tools: {
    forecast: tool(
      { description: 'The forecast for a city', inputSchema: z.object({ city: z.enum(cities) }) },
      ({ city }) => \`Sunny in \${city}, \${process.env.UNITS}\`,
    ),
  },
}));
`;

/** Sources stand in for the built package. */
const paths = { 'tenon/stdio': [join(root, 'src/node/stdio-server/stdio.ts')] };

export interface Project {
  readonly folder: string;
  put(path: string, content: string | object): Promise<void>;
  read(path: string): Promise<string>;
  json(path: string): Promise<Readonly<Record<string, never>>>;
  /** Runs `tenon package` there. */
  run(words?: string, env?: Readonly<Record<string, string>>): Promise<Printed>;
}

export async function createProject(changes: Fields = {}): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-packaged-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const put: Project['put'] = async (path, content) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  await put('package.json', { ...manifest, ...changes });
  await put('tsconfig.json', { compilerOptions: { paths } });
  await put('dist/main.js', program);
  await put('assets/cities.json', ['Oslo', 'Rome']);
  await put('README.md', '# Weather\n');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');
  return {
    folder,
    put,
    read,
    json: async (path) => JSON.parse(await read(path)),
    run: (words = '', env = {}) =>
      typed(['tenon', 'package', ...words.split(' ').filter(Boolean)], {
        cwd: folder,
        env: { HOME: '/nowhere', ...env },
      }),
  };
}

/** A server of the official SDK, which a file of any folder can import. */
export const officialServer = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export default () => {
  const server = new McpServer({ name: 'weather', version: '1.2.0' });
  server.registerTool('forecast', { description: 'The forecast' }, () => ({ content: [] }));
  return server;
};
`;
