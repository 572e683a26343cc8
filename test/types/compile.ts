/** Compiles programs as a user's project would, from files or from text. */
import { basename, join } from 'node:path';
import ts from 'typescript';
import { root } from '../architecture/source-tree.ts';

/** Programs are compiled as if they were in this folder. */
export const programFolder: string = join(root, 'test/types');

export interface Compiled {
  /** What the compiler complains of in the programs themselves, as `file:line text`. */
  readonly problems: readonly string[];
  readonly instantiations: number;
}

/** Files are the same for all programs, and parsing them is half the work. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Compiles programs by name; a text stands for a file that is not there. */
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
  const problems = complaints(program, [...texts.keys()]).map(
    ({ file, line, text }) => `${basename(file)}:${line} ${text}`,
  );
  return { problems, instantiations: program.getInstantiationCount() };
}

export interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** What the compiler says of these files. What they import is looked at only as far as they need it: its own check is `npm run check`'s. */
export function complaints(program: ts.Program, files: readonly string[]): readonly Complaint[] {
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`The compiler has not read ${file}.`);
    return ts.getPreEmitDiagnostics(program, source).map(({ start = 0, messageText }) => ({
      file,
      line: source.getLineAndCharacterOfPosition(start).line + 1,
      text: ts.flattenDiagnosticMessageText(messageText, ' '),
    }));
  });
}
