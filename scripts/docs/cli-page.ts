/** Generates the pages of the command line from the tables of `--help`. */

import { type CommandSpec, type OptionSpec, wordsOf } from '../../src/cli/io/command.ts';
import { exitCodes } from '../../src/cli/io/exit-codes.ts';
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
  const { about, options = {}, examples } = spec;
  const words = wordsOf(spec);
  return [
    `## ${spec.name}`,
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

\`tenon\` connects to a server from a terminal or a script. The [commands](#commands) and \`tenon COMMAND --help\` are made from the same tables. [Beside others](../comparison-cli.md) compares it with three other command lines.

\`\`\`sh
npx tenon tools https://example.com/mcp
npx tenon call echo message=hi -- node server.js
\`\`\`

## Targets

- a URL: \`https://example.com/mcp\`
- a file with a server, as in \`./server.ts\`: its default export, its only export that is a server, or the one that it serves with \`serveStdio\` or \`serveHttp\`, which then does not serve. A default export that is a function creates the server. One of the official SDK is [bridged](official-sdk.md). \`serve\` and \`dev\` use its options for HTTP, such as \`authenticate\`. Before Node 22.18, TypeScript is read by the \`tsx\` of the project. What the file prints goes to standard error.
- the name of a server in a configuration file: \`.mcp.json\`, \`.cursor/mcp.json\`, \`.vscode/mcp.json\` or \`.gemini/settings.json\` of the project, and those of Claude, Cursor,
  VS Code and Gemini of the user. If two files have different servers of one name, \`name@cursor\` chooses.
- a command, which stands last, after \`--\`. It gets a few variables of your shell only, such as \`PATH\` and \`HOME\`: pass others by \`-e NAME=value\`. A file gets all of them.

${optionTable(everyTarget)}

The names of \`--compat\` are those of the [dialects](../dialects.md#every-switch).

## Arguments

\`name=value\` is read by the type that the schema of the tool has for it, as a text if it has none. \`name:=JSON\` is any value, \`name.inner=value\` a field of an object,
\`name=a,b\` a list, whose items are read in the same way. One JSON object, \`--args JSON\` and \`--args -\` (standard input) have all of them.

## At a terminal

- \`tenon\` alone shows the servers of your configuration files and connects to the one that you choose. It starts nothing before.
- \`tenon servers\` connects to all of them at once, programs included, and shows which answer. A server that needs a sign-in, or a variable that you have not allowed, is named and not asked for.
- \`tenon tools TARGET\` shows each tool as a signature, \`tenon tools TARGET NAME\` its schemas as tables: a question mark follows what can be left out. \`--json\` has all that the server sends.
- \`tenon dev FILE --http PORT\` prints a link to the [inspector](inspector.md), which connects to the server when the page is opened.
- Lines are wrapped and tables cut at the width of the terminal, or that of the variable \`COLUMNS\`, which also holds where output is no terminal.
- \`tenon call TARGET TOOL --form\` asks for each argument, by a form made from the schema of the tool. Required arguments that are missing are asked for without \`--form\`. What a form cannot show is written as JSON.
- What a server asks while a call runs (elicitation by form or URL, sampling) is asked here, and shown before it is sent. Ctrl+C cancels it.
- \`tenon repl TARGET\` connects once. The name of a tool calls it: \`add a=1 b=2\`. Tab completes commands, tools, arguments and their values; Ctrl+C ends the running line, Ctrl+D leaves. Lines are not stored. Where input is no terminal, the first line that fails ends it.
- A file of a project can name variables of your environment, \`\${NAME}\`, for any URL or program. Before a server gets them, \`tenon\` names them and where they go, and asks; your answer is stored, and holds for this file, this server and this entry as it is. Without a terminal, \`--allow-variable NAME\` allows one. Files in your home folder are your own: nothing is asked.
- \`tenon completion bash\` prints a script for the shell, which completes commands, options and servers of configuration files. It starts no server.
- Calls that report progress have a bar, and what takes over a second a spinner. Neither is written where there is no terminal, and no question is asked there: see [For programs](#for-programs).

## A new server

\`\`\`sh
npx --package ./tenon-*.tgz tenon init weather   # tenon is not on npm yet: see the quickstart
cd weather && npm install && npm test
npx tenon call weather forecast city=Oslo
\`\`\`

The project has the server, the program that serves it, a test on every protocol version, and \`.mcp.json\` for clients. It depends on the version that wrote it; a tarball is copied into it. \`--template\` chooses what it is:

| template          | what it is                                                                                                                         |
| ----------------- | ---------------------------------------------------------------------------------------------------------------------------------- |
| \`stdio\`           | a server on standard streams, for clients that start it: the default                                                               |
| \`http\`            | a server over HTTP on this machine                                                                                                 |
| \`http-auth\`       | the same for clients with an access token, with an authorization server for development                                            |
| \`tasks\`           | HTTP, with a tool that runs as a task and a store in a file                                                                        |
| \`express\`, \`hono\` | a route of an application                                                                                                          |
| \`from-official\`   | a [server of the official SDK](official-sdk.md) as it is, over HTTP, with a policy                                                 |
| \`app\`             | a server with an [app](extensions.md#apps), a page that shows its results; \`npm run dev\` shows it in the [inspector](inspector.md) |
| \`agent\`           | an [agent](agents.md): a loop with a scripted model, or a real one if its key is in the environment                                |
| \`workers\`         | a worker of Cloudflare, for callers with an API key; needs Wrangler                                                                |
| \`lambda\`          | a function of AWS that streams, for callers with an API key; needs the AWS SAM CLI                                                 |
| \`next\`            | a route of a Next application, such as on Vercel, for callers with an API key                                                      |

\`npm run build\` writes JavaScript without the tests to \`dist\`, \`npm start\` starts it. The package has a program of its name: once it is installed or published, \`npx weather\` starts it, without tsx.
A project for a platform has none: its README says how to deploy it, and [deploying](deploying.md) what each platform lacks.

## Publishing

\`tenon package\` writes \`server.json\`, a bundle, a server card and install links from package.json and the server; \`tenon package --check\` finds in CI what drifted. [Publish your server](publishing.md).

## Configuration of clients

\`tenon config add CLIENT NAME TARGET\` writes a server into the configuration file of a client, in the form that the client reads. It shows the change and asks; \`--yes\` writes at once.
Comments and layout stay. The file is replaced in one step, and what it was is beside it, with \`.bak\` at the end. Clients read their files when they start.

## Questions of a server

A server may ask something during \`call\`, \`read\`, \`get\` or \`tasks result\`: a form, a URL to open, the message of a model. At a terminal you are asked. Without one the command exits with 5, and
\`tenon answer\` continues it. A call that asks again exits with 5 again, under the same id.

\`\`\`sh
tenon call https://example.com/mcp book --json   # exit 5: {"tenon":1,…,"pending":{"id":"3f9c1a2b4d","questions":[…],"expires":"…"}}
tenon answer 3f9c1a2b4d city=Rome                # exit 0 with the result, or 5 with the next question
\`\`\`

- \`questions\` has each server request as it was sent: \`key\`, \`method\`, \`params\`. If there are several, each \`answer\` answers one: the first, or the one of \`--question KEY\`.
- A form is answered by its fields, a URL by \`--accept\` once it was opened, a request for a model by \`text=…\`. \`--decline\` and \`--cancel\` answer any of these kinds. What does not fit the form is refused, and nothing is sent.
- A question waits 15 minutes. \`tenon answer\` alone lists what waits. Files and sockets are for this user alone (0600), in \`tenon/pending\` of the configuration folder.
- There is no daemon. In the newest version a call at a URL is stored with the state that its server returned. In a session, and for a server that is started for the call, one process holds the call open until it ends.
- \`--answers FILE\` answers from a file, and starts no such process: \`{ "elicitForm": [{ "city": "Rome" }, "decline"], "elicitUrl": ["accept"], "sample": ["a text"] }\`, in order or by the message of
  the question, as [scripted handlers of tests](testing.md). The server can ask only for what the file has; a question without an answer ends the call with exit code 5.

## Signing in

\`tenon login URL\` opens a browser, and stores the tokens for this user. All later commands on the URL send and refresh them, unless \`--header\` has an authorization. Without a terminal it prints the page and
exits with 5: open the page, then \`tenon answer ID\` reports whether it is done. \`--device\` shows a code for a browser on any machine. \`tenon logout URL\` revokes and deletes the tokens.

## For programs

\`--json\` prints one envelope: \`{"tenon":1,"command":"call","ok":true,"ms":12,"result":…}\`, or \`"ok":false\` with \`error: { code, message, hint, step }\`. \`step\` is the [step of connecting](../errors.md#errors-of-connecting)
that failed. An error that the server answered has \`rpc: { code, reason, data }\` too: code and data as in JSON-RPC, and the name of the code. Results go to standard output, everything else to standard error.

${table(
  ['exit code', 'meaning'],
  Object.entries(exitCodes).map(([code, meaning]) => [code, meaning]),
)}

## Commands

${optionTable(everyCommand)}

${table(
  ['command', 'what it does'],
  commands.map((spec) => [linkTo(spec), cell(spec.about)]),
)}
`;

/** They are on a page of their own: together they are too long for one. */
const checking = ({ group }: CommandSpec): boolean => ['check', 'capture', 'contract', 'access'].includes(group);

const linkTo = (spec: CommandSpec): string =>
  `[\`${spec.name}\`](${checking(spec) ? 'commands-to-check' : 'commands'}.md#${spec.name})`;

const commandsOf = (title: string, about: string, specs: readonly CommandSpec[]): string =>
  `# ${title}\n\n${about} [The command line](cli.md) says what targets and arguments are, and what every command prints.\n\n${specs.map(section).join('\n\n')}\n`;

export const commandsPage = (): string =>
  commandsOf(
    'Commands to make, look and call',
    'Commands that make and serve a server, show what one has, and call it.',
    commands.filter((spec) => !checking(spec)),
  );

export const checkingPage = (): string =>
  commandsOf(
    'Commands to check, record and guard',
    'Commands that check a server, record and replay what it does, compare it, and sign in, permit and audit.',
    commands.filter(checking),
  );
