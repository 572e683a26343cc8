/** The commands that `tenon repl` runs on its connection: all that look at a server or use it. */
import type { Client } from '../../client/api/client.ts';
import type { CommandSpec } from '../io/command.ts';
import type { ExitCode } from '../io/exit-codes.ts';
import type { InnerCommands } from '../io/given.ts';
import type { Io } from '../io/io.ts';
import { definitionList } from '../output/definition-list.ts';
import { wrapped } from '../output/wrapped.ts';
import { unknownName } from '../usage-error.ts';
import { commandHelp } from './help.ts';

/** Runs a command and prints its result or its error. */
type RunSpec = (spec: CommandSpec, args: readonly string[], io: Io, client: Client) => Promise<ExitCode>;

export function innerCommands(commands: readonly CommandSpec[], io: Io, runSpec: RunSpec): InnerCommands {
  const own = commands
    .filter(({ target, group, name }) => target === 'one' && ['look', 'use'].includes(group) && name !== 'repl')
    .map((spec): CommandSpec => ({ ...spec, target: 'none' }));
  const names = own.map(({ name }) => name);

  function help(name: string | undefined): string {
    const spec = own.find((one) => one.name === name);
    if (spec !== undefined) return commandHelp(spec, io.columns);
    const rows = own.map(({ name: one, about }) => [one, about] as const);
    const hint = 'The name of a tool calls it: TOOL name=value. help COMMAND shows its options. exit leaves.';
    return [...definitionList(rows, io.columns), '', wrapped(hint, io.columns)].join('\n');
  }

  return {
    names,
    async run([name = '', ...args], client, signal) {
      if (name === 'help') {
        io.out(`${help(args[0])}\n`);
        return 0;
      }
      const spec = own.find((one) => one.name === name);
      if (spec === undefined) throw unknownName('command or tool', name, names, 'Type help.');
      return runSpec(spec, args, { ...io, signal }, client);
    },
  };
}
