/** Compiles programs as a user's project would, from files or from text. */
import { basename, join } from 'node:path';
import ts from 'typescript';
import { root } from '../architecture/source-tree.ts';

/** Programs are compiled as if they were in this folder. */
export const programFolder: string = join(root, 'test/types');

export interface Compiled {
  /** Compiler errors in the programs themselves, as `file:line text`. */
  readonly problems: readonly string[];
  readonly instantiations: number;
}

/** Parsed files, shared by all programs: parsing is half the work. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Compiles programs by name; a program with a text needs no file. */
export function compile(programs: Readonly<Record<string, string | undefined>>): Compiled {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const texts = new Map(Object.entries(programs).map(([name, text]) => [join(programFolder, name), text]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => texts.get(name) !== undefined || fileExists(name);
  host.getSourceFile = (name, target, ...rest) => {
    const text = texts.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, target);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, target, ...rest));
    return parsed.get(name);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  const problems = errorsIn(program, [...texts.keys()]).map(
    ({ file, line, text }) => `${basename(file)}:${line} ${text}`,
  );
  return { problems, instantiations: program.getInstantiationCount() };
}

export interface CompilerError {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Compiler errors in these files only; `npm run check` checks the files they import. */
export function errorsIn(program: ts.Program, files: readonly string[]): readonly CompilerError[] {
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`The program does not include ${file}.`);
    return ts.getPreEmitDiagnostics(program, source).map(({ start = 0, messageText }) => ({
      file,
      line: source.getLineAndCharacterOfPosition(start).line + 1,
      text: ts.flattenDiagnosticMessageText(messageText, ' '),
    }));
  });
}
