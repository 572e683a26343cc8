/** What is wrong with a file that could not be loaded, with the line of a syntax error. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownStack } from './own-stack.ts';

/**
 * Time in which Node finds the line of a syntax error.
 * @limit command line
 * @beyond the error is shown without its line
 */
const findMs = 5000;

export async function loadErrorText(path: string, error: unknown): Promise<string> {
  const text = ownStack(error);
  const place = error instanceof SyntaxError && !hasPlace(text) ? await syntaxPlace(path) : undefined;
  return place === undefined ? text : `${place}\n${text}`;
}

/** Node begins the stack of a CommonJS file with its line. */
const hasPlace = (text: string): boolean => /^[^\n]+:\d+\n/.test(text);

/**
 * Node prints the line of a module only where the error ends a process. In this one nothing runs: the second import fails
 * after all files are parsed, and before the first is evaluated.
 */
function syntaxPlace(path: string): Promise<string | undefined> {
  const code = `import ${JSON.stringify(pathToFileURL(path).href)}; import { none } from 'data:text/javascript,';`;
  const options = { cwd: dirname(path), timeout: findMs, killSignal: 'SIGKILL' as const };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', code], options, (_error, _out, err) =>
      resolve(placeIn(err)),
    );
  });
}

/** The file with the line, the line, and a mark below it. */
function placeIn(output: string): string | undefined {
  const [, url = '', line, source = '', mark = ''] = /^(file:\/\/\S+):(\d+)\n(.*)\n([ \t]*\^*)/m.exec(output) ?? [];
  if (line === undefined || url.includes('[eval')) return undefined;
  return [`${fileURLToPath(url)}:${line}`, source, mark].join('\n').trimEnd();
}
