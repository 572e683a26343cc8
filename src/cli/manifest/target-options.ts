/** The options that many commands have. */
import { clientDialects } from '../../protocol/dialects/compat-options.ts';
import { errorCodeTables } from '../../protocol/dialects/error-codes.ts';
import type { CommandSpec, OptionSpec } from '../io/command.ts';

export const everyCommand: Readonly<Record<string, OptionSpec>> = {
  json: { about: 'print one JSON envelope, for programs' },
  help: { about: 'show this help', short: 'h' },
};

/** Options of commands that connect to a server. */
export const everyTarget: Readonly<Record<string, OptionSpec>> = {
  header: { about: 'send a header, as "Name: value"', value: 'HEADER', short: 'H', isRepeated: true },
  env: { about: 'set a variable for the server, as NAME=value', value: 'NAME=VALUE', short: 'e', isRepeated: true },
  cwd: { about: 'start the server in this folder', value: 'DIR' },
  'protocol-version': { about: 'use this protocol version', value: 'VERSION' },
  timeout: { about: 'wait this many seconds for an answer (default 60)', value: 'SECONDS' },
  strict: { about: 'end the connection at the first invalid message' },
  compat: {
    about: 'the server differs from the specification in this way: a dialect or a table of error codes',
    value: 'NAME',
    isRepeated: true,
    choices: [...clientDialects, ...Object.keys(errorCodeTables)],
  },
  config: { about: 'look up names of servers in this file only', value: 'FILE' },
  'allow-variable': {
    about: 'pass this environment variable to a configured server without asking',
    value: 'NAME',
    isRepeated: true,
  },
  quiet: { about: 'do not show what the server writes to standard error', short: 'q' },
};

/** Those of its connection, except where the command has an option of the same name: `--strict` of `diff`. */
export const connectionOptionsOf = ({ options = {}, target }: CommandSpec): Readonly<Record<string, OptionSpec>> =>
  target === 'none'
    ? {}
    : Object.fromEntries(Object.entries(everyTarget).filter(([name]) => !Object.hasOwn(options, name)));

export const optionsOf = (spec: CommandSpec): Readonly<Record<string, OptionSpec>> => ({
  ...spec.options,
  ...connectionOptionsOf(spec),
  ...everyCommand,
});
