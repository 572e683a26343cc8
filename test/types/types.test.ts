import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compile, programFolder } from './compile.ts';
import { foundingNames, namesInDocument, programWithNames } from './founding-names.ts';
import { manyTools } from './many-tools.ts';

const programs = readdirSync(programFolder).filter((file) => file.startsWith('typed-'));

const twice = "import { tool } from 'tenon';\nconst one = tool({}, () => 'a');\nexport const all = { one, one };\n";
const wrong = "export const n: number = 'three';\n";

const founding = programWithNames();

/** One compilation for all programs: each alone would take as long as all together. */
const compiled = compile({
  'founding-types.ts': undefined,
  'all-founding-names.ts': founding.text,
  ...Object.fromEntries(programs.map((file) => [file, undefined])),
  'twice.ts': twice,
  'wrong.ts': wrong,
});

const problemsOf = (file: string): readonly string[] =>
  compiled.problems.filter((problem) => problem.startsWith(`${file}:`));

it('the message types, constants and capability types that users need compile [S39]', () => {
  expect(problemsOf('founding-types.ts')).toEqual([]);
});

it('the types and constants that a founding document names are exported by tenon/protocol [S39]', () => {
  const some = ['JSONRPCMessage', 'JSONRPC_VERSION', 'LATEST_PROTOCOL_VERSION', 'BaseMetadata', 'ToolAnnotations'];
  expect(founding.names).toEqual(expect.arrayContaining(some));
  expect(problemsOf('all-founding-names.ts')).toEqual([]);
});

it.each(namesInDocument())('the founding document has these names', (names) => {
  expect(names).toEqual(foundingNames);
});

it.each(programs)('every line of %s compiles, except those marked as errors', (file) => {
  expect(problemsOf(file)).toEqual([]);
});

it('a duplicate name is a compile error', () => {
  expect(problemsOf('twice.ts')).toEqual([
    'twice.ts:3 An object literal cannot have multiple properties with the same name.',
  ]);
});

it('a wrong program is detected', () => {
  expect(problemsOf('wrong.ts')).toEqual(["wrong.ts:1 Type 'string' is not assignable to type 'number'."]);
});

it('two hundred tools and a typed client that calls each compile with few instantiations', () => {
  const { problems, instantiations } = compile({ 'two-hundred-tools.ts': manyTools(200) });
  expect(problems).toEqual([]);
  expect(instantiations).toBeLessThan(350_000);
});
