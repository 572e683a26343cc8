/** The packed package with each compiler and each setting of modules, imported and required. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile, compilers, typePackages } from './compilers.ts';
import { type Packed, pack, printed } from './project.ts';

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});
afterAll(() => packed?.remove());

const node = process.execPath;
const modules = ['node16', 'node18', 'node20', 'nodenext'] as const;
const resolutionOf = { node16: 'node16', node18: 'node16', node20: 'node16', nodenext: 'nodenext' };

/** In a project for bundlers the form of the import decides, not that of the project. */
const required = `
import tenon = require('tenon');
export const server: tenon.Server = tenon.createServer({ name: 'weather', version: '1.0.0' });
export const codeOf = (error: tenon.TenonError): string => (error instanceof tenon.TenonError ? error.code : 'other');
`;

describe.each(compilers)('$compiler', ({ tsc }) => {
  it.each(modules.flatMap((module) => [{ module, type: 'module' } as const, { module, type: 'commonjs' } as const]))(
    'compiles a project with module $module and type $type, which runs',
    async ({ module, type }) => {
      const project = await packed.project(type, ...typePackages);
      const compilation = { tsc, module, moduleResolution: resolutionOf[module] };
      expect(await compile(project, 'program.ts', compilation)).toEqual({ code: 0, output: '' });
      expect(await project.run(node, ['out/program.js'])).toEqual({ code: 0, output: printed });
    },
  );

  it('compiles a project for bundlers that imports it, which runs', async () => {
    const project = await packed.project('module', ...typePackages);
    const compilation = { tsc, module: 'esnext', moduleResolution: 'bundler' };
    expect(await compile(project, 'program.ts', compilation)).toEqual({ code: 0, output: '' });
    expect(await project.run(node, ['out/program.js'])).toEqual({ code: 0, output: printed });
  });

  it('compiles a project for bundlers that requires it', async () => {
    const project = await packed.project('module', ...typePackages);
    await project.write('required.ts', required);
    const compilation = { tsc, module: 'preserve', moduleResolution: 'bundler' };
    expect(await compile(project, 'required.ts', compilation)).toEqual({ code: 0, output: '' });
  });
});

describe('not supported', () => {
  it('moduleResolution node10 finds no types, as it does not know exports', async () => {
    const project = await packed.project('commonjs', ...typePackages);
    const compilation = { tsc: 'ts59', module: 'commonjs', moduleResolution: 'node10' } as const;
    const { code, output } = await compile(project, 'program.ts', compilation);
    expect([code, output]).toEqual([2, expect.stringContaining("TS2307: Cannot find module 'tenon'")]);
  });
});
