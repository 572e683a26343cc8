/** The text of `--help`, made from the manifest alone. */
import { type ArgumentSpec, type CommandSpec, type OptionSpec, wordsOf } from '../io/command.ts';
import { connectionOptionsOf, everyCommand } from './target-options.ts';

const groups: readonly (readonly [CommandSpec['group'], string])[] = [
  ['build', 'Build a server'],
  ['look', 'Look at a server'],
  ['use', 'Use a server'],
  ['check', 'Find problems'],
  ['capture', 'Record and replay'],
  ['contract', 'Compare and generate'],
  ['access', 'Permissions and records'],
  ['set up', 'Set up'],
];

export function overallHelp(commands: readonly CommandSpec[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const listed = groups.flatMap(([group, title]) => {
    const own = commands.filter((one) => one.group === group);
    return own.length === 0 ? [] : ['', title, ...own.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`)];
  });
  return [
    'tenon COMMAND [TARGET] [WORDS] [OPTIONS]',
    ...listed,
    '',
    'A target is a URL, a file such as ./server.ts, the name of a configured server, or a command after --:',
    '  tenon tools https://example.com/mcp',
    '  tenon call echo message=hi -- node server.js',
    '',
    'tenon COMMAND --help shows options and examples.',
  ].join('\n');
}

export function commandHelp(spec: CommandSpec): string {
  const { about, options = {}, examples } = spec;
  const words = wordsOf(spec);
  return [
    usageOf(spec),
    '',
    about,
    ...(words.length === 0 ? [] : ['', 'Words', ...table(words.map(({ name, about: text }) => [name, text]))]),
    ...section('Options', options),
    ...section('Options of the connection', connectionOptionsOf(spec)),
    ...section('Always', everyCommand),
    '',
    'Examples',
    ...examples.flatMap(([line, text]) => [`  ${line}`, `      ${text}`]),
  ].join('\n');
}

export function usageOf({ name, target, before = [], arguments: after = [] }: CommandSpec): string {
  const targets = { none: [], one: ['TARGET'], two: ['A', 'B'], optional: ['[TARGET]'] }[target];
  return ['tenon', name, ...before.map(shownWord), ...targets, ...after.map(shownWord), '[OPTIONS]'].join(' ');
}

function shownWord({ name, isOptional, isRest }: ArgumentSpec): string {
  const shown = isRest ? `${name}…` : name;
  return isOptional || isRest ? `[${shown}]` : shown;
}

const section = (title: string, options: Readonly<Record<string, OptionSpec>>): string[] =>
  Object.keys(options).length === 0
    ? []
    : ['', title, ...table(Object.entries(options).map(([name, option]) => [nameOf(name, option), option.about]))];

export const nameOf = (name: string, { value, short }: OptionSpec): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
}
