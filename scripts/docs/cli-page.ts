/** Generates the page of the command line from the tables of `--help`. */
import { exitCodes } from '../../src/cli/exit-codes.ts';
import type { CommandSpec, OptionSpec } from '../../src/cli/manifest/command.ts';
import { commands } from '../../src/cli/manifest/commands.ts';
import { nameOf, usageOf } from '../../src/cli/manifest/help.ts';
import { everyCommand, everyTarget } from '../../src/cli/manifest/target-options.ts';
import { table } from './table.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const optionTable = (options: Readonly<Record<string, OptionSpec>>): string =>
  table(
    ['option', 'what it does'],
    Object.entries(options).map(([name, option]) => [`\`${nameOf(name, option)}\``, cell(option.about)]),
  );

function section(spec: CommandSpec): string {
  const { about, arguments: words = [], options = {}, examples } = spec;
  return [
    `### ${spec.name}`,
    '',
    about,
    '',
    '```sh',
    usageOf(spec),
    '```',
    ...(words.length === 0 ? [] : ['', ...words.map((word) => `- \`${word.name}\`: ${word.about}.`)]),
    ...(Object.keys(options).length === 0 ? [] : ['', optionTable(options)]),
    '',
    '```sh',
    ...examples.flatMap(([line, text]) => [`# ${text}`, line]),
    '```',
  ].join('\n');
}

export const cliPage = (): string => `# The command line

\`tenon\` connects to a server from a terminal or a script. This page and \`tenon COMMAND --help\` are made from the same tables.

\`\`\`sh
npx tenon tools https://example.com/mcp
npx tenon call echo message=hi -- node server.js
\`\`\`

## Targets

- a URL: \`https://example.com/mcp\`
- a file whose default export is a server: \`./server.ts\`. Before Node 22.18, TypeScript is read by the \`tsx\` of the project.
- the name of a server in a configuration file: \`.mcp.json\`, \`.cursor/mcp.json\`, \`.vscode/mcp.json\` or \`.gemini/settings.json\` of the project, and those of Claude, Cursor,
  VS Code and Gemini of the user. If two files have different servers of one name, \`name@cursor\` chooses.
- a command, which stands last, after \`--\`

${optionTable(everyTarget)}

## Arguments

\`name=value\` is read by the type that the schema of the tool has for it, as a text if it has none. \`name:=JSON\` is any value, \`name.inner=value\` a field of an object,
\`name=a,b\` a list of texts. One JSON object, \`--args JSON\` and \`--args -\` (standard input) have all of them.

## For programs

\`--json\` prints one envelope: \`{"tenon":1,"command":"call","ok":true,"ms":12,"result":…}\`, or \`"ok":false\` with \`error: { code, message, hint }\`. Results go to standard output, everything
else to standard error.

${table(
  ['exit code', 'meaning'],
  Object.entries(exitCodes).map(([code, meaning]) => [code, meaning]),
)}

## Commands

${optionTable(everyCommand)}

${commands.map(section).join('\n\n')}
`;
