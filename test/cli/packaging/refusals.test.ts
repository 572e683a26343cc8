/** What `tenon package` refuses, before anything is written: declarations that are not valid, and files that are private. */
import { mkdir, open, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseFiles } from '../../../src/cli/packaging/bundle-files.ts';
import { repositoryOf } from '../../../src/cli/packaging/settings.ts';
import { createProject, type Fields, manifest } from './project.ts';

const withTenon = (tenon: Fields): Fields => ({ tenon: { ...(manifest.tenon as object), ...tenon } });

describe('package.json', () => {
  it('has all its problems reported at once', async () => {
    const project = await createProject({
      mcpName: 'weather',
      version: '^1.0.0',
      tenon: {
        stdio: '/usr/bin/weather.js',
        remotes: [{ url: 'https://user:secret@example.com/mcp' }, { url: 'https://example.com/mcp?api_key=abc' }],
        env: [
          { name: 'API KEY', description: 'x' },
          { name: 'TOKEN', isSecret: true, default: 'abc', description: 'x' },
          { name: 'OTHER', value: 'abc', description: 'x' },
          { name: 'UNITS' },
        ],
        bundles: {},
      },
    });
    const { code, out } = await project.run('--json');
    expect(code).toBe(2);
    const { error } = JSON.parse(out);
    expect(error.code).toBe('invalid-package');
    for (const problem of [
      'tenon.bundles of package.json is unknown.',
      'tenon.remotes[0].url has a password or a key in its URL',
      'tenon.remotes[1].url has a password or a key in its URL',
      'tenon.stdio must be a path inside the folder',
      'mcpName of package.json must be',
      'version of package.json must be one version',
      'tenon.env[0] (API KEY) needs a name',
      'tenon.env[1] (TOKEN) is a secret and has a default',
      'tenon.env[2] (OTHER) has a value.',
      'tenon.env[3] (UNITS) needs a description',
    ])
      expect(error.message).toContain(problem);
    expect(error.message).not.toContain('abc');
  });

  it.each([
    ['a description over 100 characters', { description: 'x'.repeat(101) }, 'The description has 101 characters.'],
    ['a private package that nothing else offers', { private: true, tenon: {} }, 'The package is private'],
    ['a program that is not built', { bin: './src/main.ts' }, 'src/main.ts is not built'],
    ['a program that is not there', { bin: './dist/other.js' }, 'There is no dist/other.js.'],
    ['a bundle without an author', { author: undefined }, 'package.json needs an author'],
    ['a name that leads out of the folder', { name: '../weather' }, 'name of package.json cannot be "../weather"'],
    ['a program above the folder', { bin: '../main.js' }, 'bin must be a path inside the folder'],
    ['files above the folder', withTenon({ bundle: { files: ['../other'] } }), 'must be a path inside the folder'],
  ])('is refused with %s', async (_, changes: Fields, problem) => {
    const project = await createProject(changes);
    const { code, err } = await project.run();
    expect(code).toBe(2);
    expect(err).toContain(problem);
  });

  it.each([
    ['me/weather', 'https://github.com/me/weather'],
    ['gitlab:me/group/weather', 'https://gitlab.com/me/group/weather'],
    ['git+https://github.com/me/weather.git', 'https://github.com/me/weather'],
    ['git+ssh://git@github.com/me/weather.git', 'https://github.com/me/weather'],
    ['git@github.com:me/weather.git', 'https://github.com/me/weather'],
    ['https://token@github.com/me/weather', 'https://github.com/me/weather'],
    ['https://example.com/me/weather', undefined],
  ])('has the repository %s', (given, url) => {
    expect(repositoryOf({ type: 'git', url: given })?.url).toBe(url);
  });
});

describe('files of a bundle', () => {
  it('have nothing private: hidden files, keys and installed packages of a folder are left out and named', async () => {
    const project = await createProject();
    for (const path of ['assets/.env', 'assets/key.pem', 'assets/node_modules/a.js', 'assets/.git/config'])
      await project.put(path, 'private');
    const { files, leftOut } = await chooseFiles(project.folder, ['assets']);
    expect([...files.keys()]).toEqual(['assets/cities.json']);
    expect(leftOut).toEqual(['assets/.env', 'assets/.git', 'assets/key.pem', 'assets/node_modules']);
  });

  it.each(['.env', '.', 'node_modules', 'assets/.env', 'missing'])('cannot be %s', async (path) => {
    const project = await createProject();
    await project.put('.env', 'API_KEY=x');
    await expect(chooseFiles(project.folder, [path])).rejects.toMatchObject({ code: 'invalid-package' });
  });

  it('cannot be reached by symbolic links: a file, a folder, or one on the way', async () => {
    const project = await createProject();
    const other = await createProject();
    await symlink(join(other.folder, 'package.json'), join(project.folder, 'assets/link.json'));
    await symlink(join(other.folder, 'assets'), join(project.folder, 'linked'));
    for (const path of ['assets', 'linked', 'linked/cities.json'])
      await expect(chooseFiles(project.folder, [path])).rejects.toMatchObject({
        code: 'invalid-package',
        message: expect.stringContaining('symbolic link'),
      });
  });

  it('are refused over the limits, before they are read', async () => {
    const project = await createProject();
    const file = await open(join(project.folder, 'assets/large.bin'), 'w');
    await file.truncate(101 * 1024 * 1024);
    await file.close();
    await expect(chooseFiles(project.folder, ['assets'])).rejects.toMatchObject({
      code: 'package-too-large',
      details: { maxBytes: 100 * 1024 * 1024 },
    });
    await mkdir(join(project.folder, 'many'));
    await Promise.all(Array.from({ length: 5001 }, (_, index) => project.put(`many/${index}`, '')));
    await expect(chooseFiles(project.folder, ['many'])).rejects.toMatchObject({ code: 'package-too-large' });
  });
});
