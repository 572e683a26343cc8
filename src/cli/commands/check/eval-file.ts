/** The file of `tenon eval`: prompts, the tools that each should lead to, and results of tools that must not run. */
import type { EvalPrompt } from '../../../agents/quality/eval-agent.ts';
import { nameHint } from '../../../lib/text/nearest-name.ts';
import { type Fields, isRecord } from '../../../lib/values/is.ts';
import { readJsonWithComments, withoutByteOrderMark } from '../../input/json-with-comments.ts';
import { readTextFile } from '../../input/read-file.ts';
import type { Io } from '../../io/io.ts';
import { usageError } from '../../usage-error.ts';

/**
 * Prompts of `tenon eval`.
 * @limit command line
 * @beyond the file is refused
 * @code invalid-argument
 */
const maxPrompts = 1000;

export interface EvalFile {
  readonly prompts: readonly EvalPrompt[];
  /** Texts that stand for the results of tools, which then do not run. */
  readonly results: Readonly<Record<string, string>>;
}

const example =
  'Write {"prompts": [{"prompt": "What is 2 + 3?", "expected": ["add"], "forbidden": ["delete"]}]}: tools by name.';

export async function readEvalFile(path: string, io: Io): Promise<EvalFile> {
  const text = await readTextFile(path, io, 'Pass the path of a JSON file with prompts.');
  const read = readJsonWithComments(withoutByteOrderMark(text));
  if ('problem' in read) throw usageError(`${path} is not JSON: ${read.problem}.`, example);
  const { value } = read;
  if (!isRecord(value) || !Array.isArray(value.prompts)) throw usageError(`${path} has no list prompts.`, example);
  if (value.prompts.length === 0) throw usageError(`${path} has no prompts.`, example);
  if (value.prompts.length > maxPrompts)
    throw usageError(
      `${path} has ${value.prompts.length} prompts. At most ${maxPrompts} are run.`,
      'Split it into several files.',
    );
  refuseUnknown(path, value, ['prompts', 'results']);
  const { results = {} } = value;
  if (!isRecord(results) || !Object.values(results).every((one) => typeof one === 'string'))
    throw usageError(`${path}: results is not an object of texts.`, 'Write {"results": {"delete": "Deleted."}}.');
  return {
    prompts: value.prompts.map((one, index) => readPrompt(`${path}: prompts[${index}]`, one)),
    results: results as Readonly<Record<string, string>>,
  };
}

function readPrompt(place: string, value: unknown): EvalPrompt {
  if (!isRecord(value)) throw usageError(`${place} is not an object.`, example);
  refuseUnknown(place, value, ['prompt', 'expected', 'forbidden', 'script']);
  const { prompt, expected, forbidden, script } = value;
  if (typeof prompt !== 'string' || prompt.trim() === '') throw usageError(`${place} has no text prompt.`, example);
  if (expected === undefined && forbidden === undefined)
    throw usageError(
      `${place} has neither expected nor forbidden.`,
      'Name tools. "forbidden": ["*"] is for a prompt that no tool is for.',
    );
  return {
    prompt,
    expected: names(`${place}.expected`, expected),
    forbidden: names(`${place}.forbidden`, forbidden),
    ...(script !== undefined && { script: readScript(`${place}.script`, script) }),
  };
}

function names(place: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '')) return value;
  throw usageError(`${place} is not a list of names.`, example);
}

function readScript(place: string, value: unknown): NonNullable<EvalPrompt['script']> {
  const isCall = (one: unknown): boolean =>
    isRecord(one) && typeof one.name === 'string' && (one.arguments === undefined || isRecord(one.arguments));
  if (Array.isArray(value) && value.every(isCall)) return value;
  throw usageError(`${place} is not a list of calls.`, 'Write [{"name": "add", "arguments": {"a": 2, "b": 3}}].');
}

function refuseUnknown(place: string, value: Readonly<Fields>, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw usageError(`${place} has ${JSON.stringify(unknown)}.`, nameHint(unknown, known));
}

/** A misspelled name would always be missed, or never be found. */
export function checkNames(path: string, { prompts, results }: EvalFile, tools: readonly string[]): void {
  const used = [
    ...prompts.flatMap(({ expected, forbidden }, at) =>
      [...expected, ...forbidden].map((name) => [`prompts[${at}]`, name] as const),
    ),
    ...Object.keys(results).map((name) => ['results', name] as const),
  ];
  const unknown = used.find(([, name]) => name !== '*' && !tools.includes(name));
  if (unknown === undefined) return;
  const [place, name] = unknown;
  throw usageError(
    `${path}: ${place} names the tool ${JSON.stringify(name)}, which the server does not have.`,
    tools.length === 0 ? 'It has no tools.' : nameHint(name, tools),
  );
}
