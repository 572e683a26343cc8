/** The text of `--help`, made from the manifest alone, and wrapped at the width of the terminal. */
import { type ArgumentSpec, type CommandSpec, type OptionSpec, wordsOf } from '../io/command.ts';
import { definitionList } from '../output/definition-list.ts';
import { wrapped } from '../output/wrapped.ts';
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

export function overallHelp(commands: readonly CommandSpec[], columns: number): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const listed = groups.flatMap(([group, title]) => {
    const own = commands.filter((one) => one.group === group);
    const rows = own.map(({ name, about }) => [name.padEnd(width), about] as const);
    return own.length === 0 ? [] : ['', title, ...definitionList(rows, columns)];
  });
  return [
    'tenon COMMAND [TARGET] [WORDS] [OPTIONS]',
    ...listed,
    '',
    wrapped(
      'A target is a URL, a file such as ./server.ts, the name of a configured server, or a command after --:',
      columns,
    ),
    ...commandLine('tenon tools https://example.com/mcp', columns),
    ...commandLine('tenon call echo message=hi -- node server.js', columns),
    '',
    wrapped('tenon COMMAND --help shows options and examples.', columns),
  ].join('\n');
}

export function commandHelp(spec: CommandSpec, columns: number): string {
  const { about, options = {}, examples } = spec;
  const words = wordsOf(spec).map((word) => [word.name, word.about] as const);
  return [
    wrapped(usageOf(spec), columns, '', '  '),
    '',
    wrapped(about, columns),
    ...(words.length === 0 ? [] : ['', 'Words', ...definitionList(words, columns)]),
    ...section('Options', options, columns),
    ...section('Options of the connection', connectionOptionsOf(spec), columns),
    ...section('Always', everyCommand, columns),
    '',
    'Examples',
    ...examples.flatMap(([line, text]) => [...commandLine(line, columns), wrapped(text, columns, '      ')]),
  ].join('\n');
}

/** A line that can be typed or copied: where it is broken, a backslash continues it. */
function commandLine(line: string, columns: number): string[] {
  if (line.length + 2 <= columns) return [`  ${line}`];
  const words = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  const lines: string[] = [];
  let own = ' ';
  for (const word of words) {
    if (own.trim() !== '' && own.length + 1 + word.length + 2 > columns) {
      lines.push(`${own} \\`);
      own = '   ';
    }
    own += ` ${word}`;
  }
  return [...lines, own];
}

export function usageOf({ name, target, before = [], arguments: after = [] }: CommandSpec): string {
  const targets = { none: [], one: ['TARGET'], two: ['A', 'B'], optional: ['[TARGET]'] }[target];
  return ['tenon', name, ...before.map(shownWord), ...targets, ...after.map(shownWord), '[OPTIONS]'].join(' ');
}

function shownWord({ name, isOptional, isRest }: ArgumentSpec): string {
  const shown = isRest ? `${name}…` : name;
  return isOptional || isRest ? `[${shown}]` : shown;
}

function section(title: string, options: Readonly<Record<string, OptionSpec>>, columns: number): string[] {
  const rows = Object.entries(options).map(([name, option]) => [nameOf(name, option), option.about] as const);
  return rows.length === 0 ? [] : ['', title, ...definitionList(rows, columns)];
}

export const nameOf = (name: string, { value, short }: OptionSpec): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
