/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { ms, required, type Table, table, withDefault } from '../../lib/options/option-table.ts';
import { type CommandTarget, programArguments, programFolder, programName, programVariables, standardError } from './command-target.ts';

export const commandTarget = /* @__PURE__ */ table(
  () =>
    ({
      command: required(programName),
      args: programArguments,
      env: programVariables,
      cwd: programFolder,
      stderr: withDefault(standardError, 'inherit'),
      exitTimeoutMs: ms(2000, { least: 0 }),
    }) satisfies Table<CommandTarget>,
);
