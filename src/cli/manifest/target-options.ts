/** The options that many commands have. */
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
  config: { about: 'find named servers in this file', value: 'FILE' },
  quiet: { about: 'do not show what the server writes to standard error', short: 'q' },
};

export const optionsOf = ({ options, target }: CommandSpec): Readonly<Record<string, OptionSpec>> => ({
  ...options,
  ...(target === 'none' ? {} : everyTarget),
  ...everyCommand,
});
