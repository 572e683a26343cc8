/** The file of `tenon check --examples`: arguments to call tools with. */
import type { ToolExamples } from '../../../agents/quality/example-calls.ts';
import { isRecord } from '../../../lib/values/is.ts';
import { readJsonWithComments, withoutByteOrderMark } from '../../input/json-with-comments.ts';
import { readTextFile } from '../../input/read-file.ts';
import type { Io } from '../../io/io.ts';
import { unknownName, usageError } from '../../usage-error.ts';

/**
 * Calls of `tenon check --examples`.
 * @limit command line
 * @beyond the file is refused
 * @code invalid-argument
 */
const maxExamples = 1000;

const hint = 'Write {"search": [{"query": "x"}, {"query": "y", "limit": 5}]}: a list of arguments for each tool.';

export async function readExamples(path: string, io: Io): Promise<ToolExamples> {
  const text = await readTextFile(path, io, 'Pass the path of a JSON file to --examples.');
  const read = readJsonWithComments(withoutByteOrderMark(text));
  if ('problem' in read) throw usageError(`${path} is not JSON: ${read.problem}.`, hint);
  const { value } = read;
  if (!isRecord(value)) throw usageError(`${path} is not a JSON object.`, hint);
  for (const [tool, all] of Object.entries(value))
    if (!Array.isArray(all) || !all.every(isRecord))
      throw usageError(`${path}: ${JSON.stringify(tool)} is not a list of objects.`, hint);
  const examples = value as ToolExamples;
  const calls = Object.values(examples).reduce((sum, all) => sum + all.length, 0);
  if (calls > maxExamples)
    throw usageError(`${path} has ${calls} examples. At most ${maxExamples} are called.`, 'Remove some.');
  return examples;
}

export function checkExampleNames(examples: ToolExamples, tools: readonly { readonly name: string }[]): void {
  const names = tools.map(({ name }) => name);
  const unknown = Object.keys(examples).find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownName('tool', unknown, names, 'tenon tools TARGET lists them.');
}
