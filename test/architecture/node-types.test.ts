/** Everything outside the Node folders compiles without Node's types. */
import { execFileSync } from 'node:child_process';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { folderOf } from './import-rules.ts';
import { nodeFolders, roots } from './layers.ts';
import { root, sourcePaths } from './source-tree.ts';

const configPath = join(root, 'tsconfig.json');
const config = ts.parseJsonConfigFileContent(ts.readConfigFile(configPath, ts.sys.readFile).config, ts.sys, root);
const covered = new Set(config.fileNames.map((file) => relative(root, file).split(sep).join('/')));

describe('tsconfig.json', () => {
  it('asks for no ambient types', () => {
    expect(config.errors).toEqual([]);
    expect(config.options.types).toEqual([]);
  });

  it('covers every file of src outside the Node folders', () => {
    const expected = sourcePaths('src').filter(
      (path) => !roots.includes(path) && !nodeFolders.includes(folderOf(path)),
    );
    expect(expected.filter((path) => !covered.has(path))).toEqual([]);
  });

  it('meets no types of Node through an import or a reference either', () => {
    const args = [join(root, 'node_modules/ts7/bin/tsc'), '-p', configPath, '--listFilesOnly'];
    const files = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
    expect(files.some((file) => file.endsWith('/lib.webworker.d.ts'))).toBe(true);
    expect(files.filter((file) => file.includes('/@types/node/'))).toEqual([]);
  });
});
