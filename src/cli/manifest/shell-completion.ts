/** What can be typed next on the command line: commands, options, their values, and servers of configuration files. Starts no server. */

import type { ArgumentSpec, CommandSpec, OptionSpec } from '../io/command.ts';
import type { Io } from '../io/io.ts';
import { configuredServers } from '../target/configured-servers.ts';
import { optionsOf } from './target-options.ts';

export interface Completion {
  readonly value: string;
  /** What it is, on one line. */
  readonly about: string;
}

/** The last word is what is being typed. */
export async function completeWords(
  words: readonly string[],
  commands: readonly CommandSpec[],
  io: Io,
): Promise<readonly Completion[]> {
  const word = words.at(-1) ?? '';
  const found = await candidates(words, commands, io);
  return found.filter(({ value }) => value.startsWith(word));
}

async function candidates(
  words: readonly string[],
  commands: readonly CommandSpec[],
  io: Io,
): Promise<readonly Completion[]> {
  const [name = '', ...typed] = words;
  if (words.length <= 1) return commands.map(asCompletion);
  const spec = commands.find((one) => one.name === name);
  if (name === 'help') return typed.length === 1 ? commands.map(asCompletion) : [];
  if (spec === undefined || typed.slice(0, -1).includes('--')) return [];
  const options = optionsOf(spec);
  const before = valueOption(typed.at(-2), options);
  if (before !== undefined) return (before.choices ?? []).map((value) => ({ value, about: '' }));
  if (typed.at(-1)?.startsWith('-'))
    return Object.entries(options).map(([option, { about }]) => ({ value: `--${option}`, about }));
  const place = placeOf(spec, typed, options);
  return place === 'target' ? servers(io) : (place?.choices ?? []).map((value) => ({ value, about: '' }));
}

const asCompletion = ({ name, about }: CommandSpec): Completion => ({ value: name, about });

/** The option that the next word is the value of. */
function valueOption(word: string | undefined, options: Readonly<Record<string, OptionSpec>>): OptionSpec | undefined {
  if (word === undefined || !word.startsWith('-') || word.includes('=')) return undefined;
  const found = Object.entries(options).find(([name, { short }]) => word === `--${name}` || word === `-${short}`);
  return found?.[1].value === undefined ? undefined : found[1];
}

/** What the last word stands for. */
function placeOf(
  { target, before = [], arguments: after = [] }: CommandSpec,
  typed: readonly string[],
  options: Readonly<Record<string, OptionSpec>>,
): ArgumentSpec | 'target' | undefined {
  const targets = { none: 0, one: 1, optional: 1, two: 2 }[target];
  const places = [...before, ...Array<'target'>(targets).fill('target'), ...after];
  const earlier = typed
    .slice(0, -1)
    .filter((word, index) => !word.startsWith('-') && valueOption(typed[index - 1], options) === undefined);
  return places[earlier.length];
}

/** A name that several clients use is followed by `@` and the client. */
async function servers(io: Io): Promise<readonly Completion[]> {
  const quiet = { ...io, err: () => undefined };
  const found = await configuredServers(quiet);
  const isRepeated = (name: string): boolean => found.filter(({ server }) => server === name).length > 1;
  return found.map(({ server, file }) => ({
    value: isRepeated(server) ? `${server}@${file.client}` : server,
    about: `a server of ${file.client}`,
  }));
}
