/** Parses what was typed: target, words and options of a command. Errors for unknown options name the nearest one. */
import { parseArgs } from 'node:util';
import { type CommandSpec, type OptionSpec, wordsOf } from '../io/command.ts';
import type { Given } from '../io/given.ts';
import { jsonLine } from '../output/json-line.ts';
import { safeText } from '../output/style.ts';
import { unknownName, usageError } from '../usage-error.ts';
import { optionsOf } from './target-options.ts';

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** What a command gets besides what was typed. */
type CommandContext = Pick<Given, 'io' | 'client' | 'inner'>;

export function readArguments(spec: CommandSpec, args: readonly string[], context: CommandContext): Given {
  const { io } = context;
  const dashes = args.indexOf('--');
  const own = dashes === -1 ? args : args.slice(0, dashes);
  const command = dashes === -1 ? undefined : args.slice(dashes + 1);
  const options = optionsOf(spec);
  const { values, positionals } = parsed(spec, options, own);
  checkValues(options, values);
  const { targets, words } = split(spec, positionals, command);
  checkWords(spec, words);
  const texts = (name: string): string[] => [values[name] ?? []].flat().map(String);
  const isJson = values.json === true;
  return {
    ...context,
    typed: [spec.name, ...args],
    words,
    target: targets[0],
    secondTarget: targets[1],
    command,
    texts,
    text: (name) => texts(name).at(-1),
    flag: (name) => values[name] === true,
    number: (name) => numberOf(name, texts(name).at(-1), 'a number'),
    count: (name) => numberOf(name, texts(name).at(-1), 'a whole number'),
    isJson,
    emit(result, text) {
      if (isJson) io.out(jsonLine({ tenon: 1, command: spec.name, ok: true, result }));
      else if (text !== '') io.out(`${io.isTerminal ? safeText(text) : text}\n`);
    },
  };
}

function parsed(
  spec: CommandSpec,
  options: Readonly<Record<string, OptionSpec>>,
  args: readonly string[],
): { readonly values: Values; readonly positionals: readonly string[] } {
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { value, short, isRepeated }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: isRepeated === true,
        ...(short !== undefined && { short }),
      },
    ]),
  );
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: known,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined)
      throw unknownName(
        'option',
        token.rawName,
        Object.keys(options).map((name) => `--${name}`),
        helpHint(spec),
      );
    if (option.value !== undefined && token.value === undefined)
      throw usageError(`${token.rawName} needs a value.`, `Write ${token.rawName} ${option.value}.`);
    if (option.value === undefined && token.value !== undefined)
      throw usageError(`${token.rawName} takes no value.`, `Write ${token.rawName} alone.`);
  }
  return { values: values as Values, positionals };
}

function checkValues(options: Readonly<Record<string, OptionSpec>>, values: Values): void {
  for (const [name, { choices }] of Object.entries(options)) {
    const wrong = [values[name] ?? []].flat().find((one) => choices !== undefined && !choices.includes(String(one)));
    if (wrong !== undefined)
      throw usageError(`--${name} cannot be ${JSON.stringify(wrong)}.`, `It can be ${choices?.join(', ')}.`);
  }
}

/** A command after `--` takes the place of the last target. */
function split(
  spec: CommandSpec,
  positionals: readonly string[],
  command: readonly string[] | undefined,
): { readonly targets: readonly string[]; readonly words: readonly string[] } {
  if (command !== undefined && spec.target === 'none')
    throw usageError(`tenon ${spec.name} starts no server.`, helpHint(spec));
  if (command?.length === 0) throw usageError('There is no command after --.', 'Write -- node server.js.');
  const before = positionals.slice(0, spec.before?.length ?? 0);
  const rest = positionals.slice(before.length);
  // A missing word is reported first: it stands before the target.
  if (before.length < (spec.before?.length ?? 0)) return { targets: [], words: before };
  const typed = targetCount(spec, rest, command);
  const targets = rest.slice(0, typed);
  if (targets.length < typed)
    throw usageError(
      'No server was named.',
      `Pass a URL, a file, a name, or a command after --: tenon ${spec.name} … -- node server.js.`,
    );
  return { targets, words: [...before, ...rest.slice(typed)] };
}

function targetCount(
  spec: CommandSpec,
  positionals: readonly string[],
  command: readonly string[] | undefined,
): number {
  if (spec.target === 'none') return 0;
  if (spec.target === 'optional') return command !== undefined || positionals.length === 0 ? 0 : 1;
  return (spec.target === 'two' ? 2 : 1) - (command === undefined ? 0 : 1);
}

function checkWords(spec: CommandSpec, words: readonly string[]): void {
  const expected = wordsOf(spec);
  const missing = expected.slice(words.length).find(({ isOptional, isRest }) => !isOptional && !isRest);
  if (missing !== undefined) throw usageError(`${missing.name} is missing: ${missing.about}.`, helpHint(spec));
  if (words.length > expected.length && !expected.at(-1)?.isRest)
    throw usageError(`${JSON.stringify(words[expected.length])} is one word too many.`, helpHint(spec));
}

function numberOf(name: string, text: string | undefined, kind: 'a number' | 'a whole number'): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  const isKind = kind === 'a number' ? Number.isFinite(number) : Number.isSafeInteger(number);
  if (!isKind || number <= 0)
    throw usageError(`--${name} cannot be ${JSON.stringify(text)}.`, `Write ${kind} above 0.`);
  return number;
}

const helpHint = ({ name }: CommandSpec): string => `See tenon ${name} --help.`;
