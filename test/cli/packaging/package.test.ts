/** `tenon package` writes what registries and clients read, the same bytes each time, and nothing private. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { connect, toText } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { serverCardErrors, serverJsonErrors } from './formats.ts';
import { createProject, manifest, officialServer, type Project } from './project.ts';

const execute = promisify(execFile);

const bundleOf = ({ folder }: Project): Promise<Buffer> => readFile(join(folder, 'weather.mcpb'));

async function unpacked(project: Project): Promise<Readonly<Record<string, string>>> {
  const files = unzipSync(await bundleOf(project));
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]));
}

describe('tenon package', () => {
  it('writes server.json in the format of registries, with the hash of the bundle [S31]', async () => {
    const project = await createProject();
    expect(await project.run()).toMatchObject({ code: 0, err: '' });
    const server = await project.json('server.json');
    expect(serverJsonErrors(server)).toEqual([]);
    expect(server).toMatchObject({
      name: 'io.github.me/weather',
      title: 'Weather',
      repository: { url: 'https://github.com/me/weather', source: 'github' },
      packages: [
        { registryType: 'npm', identifier: '@me/weather', version: '1.2.0' },
        {
          registryType: 'mcpb',
          identifier: 'https://github.com/me/weather/releases/download/v1.2.0/weather.mcpb',
          fileSha256: expect.stringMatching(/^[a-f\d]{64}$/),
        },
      ],
    });
  });

  it('the bundle answers a call in a folder where nothing else is installed, with what its user fills in', async () => {
    const project = await createProject();
    await project.run();
    const files = await unpacked(project);
    const folder = await mkdtemp(join(tmpdir(), 'tenon-unpacked-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const bundle = JSON.parse(files['manifest.json'] ?? '');
    expect(bundle).toMatchObject({
      name: 'weather',
      author: { name: 'Ada Lovelace', email: 'ada@example.com' },
      tools: [{ name: 'forecast', description: 'The forecast for a city' }],
      user_config: {
        API_KEY: { type: 'string', sensitive: true, required: true },
        UNITS: { required: false, default: 'metric' },
      },
    });
    expect(Object.keys(files).sort()).toEqual([
      'THIRD-PARTY-NOTICES',
      'assets/cities.json',
      'dist/main.js',
      'manifest.json',
      'package.json',
    ]);
    const client = await connect({
      command: 'node',
      args: [join(folder, bundle.server.entry_point)],
      env: { API_KEY: 'k', UNITS: 'us' },
    });
    onTestFinished(() => client.close());
    expect(toText(await client.tools.call('forecast', { city: 'Rome' }))).toBe('Sunny in Rome, us');
  });

  it('writes the same bytes in another folder', async () => {
    const made = [];
    for (const project of [await createProject(), await createProject()]) {
      await project.run();
      made.push([await bundleOf(project), await project.read('server.json')]);
    }
    expect(made[1]).toEqual(made[0]);
  });

  it('writes the same archive in every time zone', async () => {
    const file = JSON.stringify(join(root, 'src/cli/packaging/zip.ts'));
    const script = `import { zip } from ${file}; console.log(Buffer.from(zip(new Map([['a', Buffer.from('b')]]))).toString('hex'))`;
    const made = [];
    for (const TZ of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles']) {
      const args = ['--import', 'tsx', '--input-type=module', '-e', script];
      const { stdout } = await execute(process.execPath, args, { cwd: root, env: { ...process.env, TZ } });
      made.push(stdout);
    }
    expect(made[0]).toMatch(/^504b0304/);
    expect(new Set(made).size).toBe(1);
  });

  it('writes neither paths of this machine nor values of variables', async () => {
    const project = await createProject();
    await project.run('', { API_KEY: 'a-real-key-of-mine' });
    const texts = [...Object.values(await unpacked(project)), await project.read('server.json')].join('\n');
    for (const text of [project.folder, root, tmpdir(), `${homedir()}/`, 'a-real-key-of-mine'])
      expect(texts).not.toContain(text);
  });

  it('refuses a value of a variable that the program has in it', async () => {
    const project = await createProject();
    await project.put('assets/cities.json', ['Oslo', 'a-real-key-of-mine']);
    const { code, err } = await project.run('', { API_KEY: 'a-real-key-of-mine' });
    expect(code).toBe(2);
    expect(err).toContain('weather.mcpb: assets/cities.json would have the value of the variable API_KEY.');
    expect(err).not.toContain('a-real-key-of-mine');
    await expect(project.read('server.json')).rejects.toThrow('ENOENT');
  });

  it('writes install links where README.md has the marks, and nothing else there', async () => {
    const project = await createProject();
    await project.put(
      'README.md',
      '# Weather\n\n<!-- tenon install links -->\n<!-- end of tenon install links -->\n\nRead on.\n',
    );
    const { out } = await project.run('--json');
    const { cursor, vscode } = JSON.parse(out).result.links;
    const inCursor = new URL(cursor).searchParams;
    expect(inCursor.get('name')).toBe('weather');
    expect(JSON.parse(atob(inCursor.get('config') ?? ''))).toEqual({
      command: 'npx',
      args: ['-y', '@me/weather'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Cursor fills it in
      env: { API_KEY: '${env:API_KEY}' },
    });
    expect(JSON.parse(decodeURIComponent(vscode.replace('vscode:mcp/install?', '')))).toMatchObject({
      name: 'weather',
      command: 'npx',
      inputs: [{ id: 'API_KEY', type: 'promptString', password: true }],
    });
    const readme = await project.read('README.md');
    expect(readme).toMatch(/^# Weather\n\n<!-- tenon install links -->\n\nInstall in:\n\n- \[Cursor\]\(https:/);
    expect(readme).toMatch(/weather\.mcpb\): open the file\n\n<!-- end of tenon install links -->\n\nRead on\.\n$/);
    expect((await project.run('--check')).code).toBe(0);
  });

  it('writes a server card of a server at URLs, with headers declared and no tools', async () => {
    const remotes = [
      {
        url: 'https://example.com/mcp',
        headers: [{ name: 'X-Key', description: 'The key of your account', isSecret: true, isRequired: true }],
      },
    ];
    const project = await createProject({ bin: undefined, tenon: { server: './server.mjs', remotes } });
    await project.put('server.mjs', officialServer);
    const { code, err, out } = await project.run('--json');
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out).result.written).toEqual(['server.json', 'server-card.json']);
    const card = await project.json('server-card.json');
    expect(serverCardErrors(card)).toEqual([]);
    expect(card).toMatchObject({ remotes: [{ type: 'streamable-http', ...remotes[0] }] });
    expect(JSON.stringify(card)).not.toContain('forecast');
    const server = await project.json('server.json');
    expect(serverJsonErrors(server)).toEqual([]);
    expect(server).not.toHaveProperty('packages');
    expect(JSON.parse(atob(new URL(JSON.parse(out).result.links.cursor).searchParams.get('config') ?? ''))).toEqual({
      url: 'https://example.com/mcp',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Cursor fills it in
      headers: { 'X-Key': '${env:X_KEY}' },
    });
  });

  it('without a bundle starts the program itself, and names npm only', async () => {
    const project = await createProject({ tenon: { bundle: false } });
    await project.put('dist/main.js', officialProgram);
    const { out } = await project.run('--json');
    expect(JSON.parse(out).result.written).toEqual(['server.json']);
    expect(await project.json('server.json')).toMatchObject({ packages: [{ registryType: 'npm' }] });
  });

  it('needs a version that the server says, too', async () => {
    const project = await createProject({ version: '1.3.0' });
    const { code, err } = await project.run();
    expect(code).toBe(2);
    expect(err).toContain('The server says version 1.2.0, package.json 1.3.0.');
  });

  it('shows what a program printed that does not start with the declared variables', async () => {
    const project = await createProject({ tenon: {} });
    const { code, err } = await project.run();
    expect(code).toBe(2);
    expect(err).toContain('dist/main.js did not answer on standard streams');
    expect(err).toContain('API_KEY is not set.');
  });
});

const officialProgram = `${officialServer.replace('export default () =>', 'const create = () =>')}
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
await create().connect(new StdioServerTransport());
`;

describe('tenon package --check', () => {
  it('prints each field that drifted and how to fix it, exits with 1 and writes nothing [S31]', async () => {
    const project = await createProject();
    await project.run();
    await project.put('server.json', {
      ...(await project.json('server.json')),
      title: 'Old',
      websiteUrl: 'https://a.b',
    });
    const before = await project.read('server.json');
    const { code, out } = await project.run('--check');
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'server.json: title is "Old". It should be "Weather".',
      'server.json: websiteUrl is "https://a.b". It should not be there.',
      'Run tenon package, and commit what it writes.',
      '',
    ]);
    expect(await project.read('server.json')).toBe(before);
  });

  it('finds a tool that changed by the hash of the bundle', async () => {
    const project = await createProject();
    await project.run();
    expect((await project.run('--check')).code).toBe(0);
    await project.put('dist/main.js', (await project.read('dist/main.js')).replace('for a city', 'for a town'));
    const { code, out } = await project.run('--check --json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      result: { changes: [{ file: 'server.json', field: 'packages[1].fileSha256' }, { file: 'weather.mcpb' }] },
    });
  });

  it('is about values: the layout of server.json and its _meta stay', async () => {
    const project = await createProject();
    await project.run();
    const own = { _meta: { 'com.example/note': 'mine' }, ...(await project.json('server.json')) };
    await project.put('server.json', own);
    expect((await project.run('--check')).code).toBe(0);
    await project.run();
    expect(await project.read('server.json')).toBe(JSON.stringify(own));
  });

  it('finds a server.json that is missing', async () => {
    const project = await createProject({ tenon: { ...(manifest.tenon as object), bundle: { files: ['assets'] } } });
    const { code, out } = await project.run('--check');
    expect(code).toBe(1);
    expect(out).toContain('server.json: name is missing. It should be "io.github.me/weather".');
  });
});
