import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compile, programFolder } from './compile.ts';
import { manyTools } from './many-tools.ts';

const programs = readdirSync(programFolder).filter((file) => file.startsWith('typed-'));

const twice = "import { tool } from 'tenon';\nconst one = tool({}, () => 'a');\nexport const all = { one, one };\n";
const wrong = "export const n: number = 'three';\n";

/** One program for all: each would cost the compiler as much as all of them. */
const compiled = compile({
  'founding-types.ts': undefined,
  ...Object.fromEntries(programs.map((file) => [file, undefined])),
  'twice.ts': twice,
  'wrong.ts': wrong,
});

const problemsOf = (file: string): readonly string[] =>
  compiled.problems.filter((problem) => problem.startsWith(`${file}:`));

it('the message types, constants and capability types that users need compile [S39]', () => {
  expect(problemsOf('founding-types.ts')).toEqual([]);
});

it.each(programs)('every right line of %s compiles, and every wrong one is a compile error', (file) => {
  expect(problemsOf(file)).toEqual([]);
});

it('a name that is given twice is a compile error', () => {
  expect(problemsOf('twice.ts')).toEqual([
    'twice.ts:3 An object literal cannot have multiple properties with the same name.',
  ]);
});

it('an example that is wrong is seen', () => {
  expect(problemsOf('wrong.ts')).toEqual(["wrong.ts:1 Type 'string' is not assignable to type 'number'."]);
});

it('two hundred tools and a typed client that calls each cost the compiler little', () => {
  const { problems, instantiations } = compile({ 'two-hundred-tools.ts': manyTools(200) });
  expect(problems).toEqual([]);
  expect(instantiations).toBeLessThan(350_000);
});
