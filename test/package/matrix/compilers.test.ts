/** The packed package with each compiler and each setting of modules, imported and required. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requires } from '../../kit/requires.ts';
import { compile, compilers, typePackages } from './compilers.ts';
import { type Packed, type Project, pack, printed, type Run, whyNoTools } from './project.ts';

type Type = 'module' | 'commonjs';

let packed: Packed;
let projects: Readonly<Record<Type, Project>>;
beforeAll(async () => {
  packed = await pack();
  const projectOf = (type: Type): Promise<Project> => packed.project(type, ...typePackages);
  projects = { module: await projectOf('module'), commonjs: await projectOf('commonjs') };
});
afterAll(() => packed?.remove());

const modules = ['node16', 'node18', 'node20', 'nodenext'] as const;
const types = ['module', 'commonjs'] as const;

const runs = new Map<string, Promise<Run>>();

/** Compilers write the same for many settings: each program that differs is run once. */
async function run(project: Project): Promise<Run> {
  const written = await readFile(join(project.folder, 'out/program.js'), 'utf8');
  const result = runs.get(written) ?? project.run(process.execPath, ['out/program.js']);
  runs.set(written, result);
  return result;
}

const compiled = { code: 0, output: '' };
const ran = { code: 0, output: printed };

/** In a project for bundlers the form of the import decides, not that of the project. */
const required = `
import tenon = require('tenon');
export const server: tenon.Server = tenon.createServer({ name: 'weather', version: '1.0.0' });
export const codeOf = (error: tenon.TenonError): string => (error instanceof tenon.TenonError ? error.code : 'other');
`;

describe.each(compilers)('$compiler', ({ tsc }) => {
  it.each(modules.flatMap((module) => types.map((type) => ({ module, type }))))(
    'compiles a project with module $module and type $type, which runs',
    async ({ module, type }) => {
      expect(await compile(projects[type], 'program.ts', { tsc, module })).toEqual(compiled);
      expect(await run(projects[type])).toEqual(ran);
    },
  );

  it('compiles a project for bundlers that imports it, which runs', async () => {
    const compilation = { tsc, module: 'esnext', moduleResolution: 'bundler' };
    expect(await compile(projects.module, 'program.ts', compilation)).toEqual(compiled);
    expect(await run(projects.module)).toEqual(ran);
  });

  it('compiles a project for bundlers that requires it', async () => {
    await projects.module.write('required.ts', required);
    const compilation = { tsc, module: 'preserve', moduleResolution: 'bundler' };
    expect(await compile(projects.module, 'required.ts', compilation)).toEqual(compiled);
  });
});

describe('module commonjs, without more', () => {
  it.each(compilers.slice(1))('of $compiler compiles a project, which runs', async ({ tsc }) => {
    expect(await compile(projects.commonjs, 'program.ts', { tsc, module: 'commonjs' })).toEqual(compiled);
    expect(await run(projects.commonjs)).toEqual(ran);
  });
});

describe('TypeScript 5.7, the oldest', () => {
  it.for(types)('compiles a project with module nodenext and type %s, which runs', async (type, context) => {
    requires(context, whyNoTools());
    expect(await compile(projects[type], 'program.ts', { tsc: 'ts57', module: 'nodenext' })).toEqual(compiled);
    expect(await run(projects[type])).toEqual(ran);
  });
});

describe('not supported', () => {
  it.each([
    ['moduleResolution node10', { moduleResolution: 'node10' }],
    ['module commonjs of TypeScript 5, which has that resolution', {}],
  ])('%s finds no types, as it does not know exports', async (_, settings) => {
    const { code, output } = await compile(projects.commonjs, 'program.ts', {
      tsc: 'ts59',
      module: 'commonjs',
      ...settings,
    });
    expect([code, output]).toEqual([2, expect.stringContaining("TS2307: Cannot find module 'tenon'")]);
  });
});
