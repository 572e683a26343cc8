/** Commands that make and run a server, and set up clients and the shell. */
import { serverDialects } from '../../../protocol/dialects/compat-options.ts';
import { errorCodeTables } from '../../../protocol/dialects/error-codes.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../../io/command.ts';

const file: ArgumentSpec = {
  name: 'FILE',
  about: 'a file with a server: its default export, its only one, or the one that it serves',
};

const serving: Readonly<Record<string, OptionSpec>> = {
  http: {
    about: 'serve over HTTP on this port of this machine (0: any free port); without it, on standard streams',
    value: 'PORT',
  },
  store: { about: 'where sessions and tasks are stored, such as sqlite:./tenon.db', value: 'URL' },
  strict: { about: 'refuse invalid messages' },
  compat: {
    about: 'clients differ from the specification in this way: a dialect or a table of error codes',
    value: 'NAME',
    isRepeated: true,
    choices: [...serverDialects, ...Object.keys(errorCodeTables)],
  },
};

export const build: readonly CommandSpec[] = [
  {
    name: 'init',
    group: 'build',
    about: 'Writes a project with a server that runs, is typed and tested.',
    target: 'none',
    arguments: [{ name: 'DIR', about: 'a folder that is empty, or not there yet' }],
    options: {
      name: { about: 'the name of the server (default: that of the folder)', value: 'NAME' },
      template: {
        about:
          'what it is: stdio, http, http-auth, tasks, express, hono, from-official, app, agent, workers, lambda or next (default: stdio)',
        value: 'TEMPLATE',
        choices: [
          'stdio',
          'http',
          'http-auth',
          'tasks',
          'express',
          'hono',
          'from-official',
          'app',
          'agent',
          'workers',
          'lambda',
          'next',
        ],
      },
    },
    examples: [
      ['tenon init weather', 'for clients that start it: server, a test on every protocol version, .mcp.json'],
      ['tenon init weather --template http-auth', 'over HTTP, for clients with an access token'],
      ['tenon init weather --template agent', 'a model that calls tools, and its servers'],
    ],
    load: () => import('../../commands/build/init.ts'),
  },
  {
    name: 'serve',
    group: 'build',
    about: 'Serves the server in a file, on standard streams or over HTTP.',
    target: 'none',
    arguments: [file],
    options: serving,
    examples: [
      ['tenon serve ./server.ts', 'on standard streams, for a client that starts it'],
      ['tenon serve ./server.ts --http 3000', 'at http://127.0.0.1:3000/mcp'],
    ],
    load: () => import('../../commands/build/serve.ts'),
  },
  {
    name: 'dev',
    group: 'build',
    about:
      'Serves the server in a file, and loads it again when a file of it changes. Clients stay connected. Over HTTP it prints a link to the inspector.',
    target: 'none',
    arguments: [file],
    options: serving,
    examples: [
      ['tenon dev ./server.ts --http 3000', 'at http://127.0.0.1:3000/mcp, with a link to the inspector'],
      ['tenon dev ./server.ts', 'on standard streams, for a client that starts it'],
    ],
    load: () => import('../../commands/build/dev.ts'),
  },
  {
    name: 'gateway',
    group: 'build',
    about:
      'Serves many servers at one address, as a file says. The file is read again when it changes, and at SIGHUP. SIGTERM lets running calls finish.',
    target: 'none',
    options: {
      config: { about: 'the file, YAML or JSON', value: 'FILE' },
      check: { about: 'serve nothing; print the number of upstreams, or what is wrong as FILE:LINE: and exit with 2' },
      approve: { about: 'serve nothing; show how the upstreams differ from the lock of the file, and approve it' },
      yes: { about: 'with --approve: do not ask', short: 'y' },
    },
    examples: [
      ['tenon gateway --config gateway.yaml --check', 'before it is used, and in CI'],
      ['tenon gateway --config gateway.yaml --approve', 'writes what the upstreams offer to the lock of the file'],
      ['tenon gateway --config gateway.yaml', 'at the address in the file'],
    ],
    load: () => import('../../commands/build/gateway.ts'),
  },
  {
    name: 'package',
    group: 'build',
    about:
      'Writes what registries and clients need of a server: server.json, a bundle (.mcpb), a server card, install links.',
    target: 'none',
    arguments: [{ name: 'DIR', about: 'the folder of the project (default: this one)', isOptional: true }],
    options: { check: { about: 'write nothing; exit with 1 if what is there is not what the server says' } },
    examples: [
      ['tenon package', 'after a build, before a release'],
      ['tenon package --check', 'in CI: prints each field that drifted'],
    ],
    load: () => import('../../commands/build/package.ts'),
  },
];

/** Commands that change configuration files and the shell. */
export const setUp: readonly CommandSpec[] = [
  {
    name: 'config',
    group: 'set up',
    about: 'Adds a server to the configuration of a client, or removes it. Shows the change, asks, and keeps a copy.',
    target: 'optional',
    before: [
      { name: 'ACTION', about: 'add or remove', choices: ['add', 'remove'] },
      {
        name: 'CLIENT',
        about: 'claude-code, claude-desktop, cursor, vscode, gemini, or project for .mcp.json',
        choices: ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'gemini', 'project'],
      },
      { name: 'NAME', about: 'the name of the server there' },
    ],
    options: {
      project: { about: 'change the file of this project, not that of the user' },
      yes: { about: 'write without asking', short: 'y' },
    },
    examples: [
      ['tenon config add cursor weather https://example.com/mcp', 'a URL'],
      ['tenon config add claude-desktop files -- npx -y @modelcontextprotocol/server-filesystem .', 'a command'],
      ['tenon config add project weather ./src/server.ts', 'a file of this project, in .mcp.json'],
      ['tenon config remove vscode weather --yes', 'without asking'],
    ],
    load: () => import('../../commands/build/config.ts'),
  },
  {
    name: 'completion',
    group: 'set up',
    about: 'Prints a script by which a shell completes commands, options and names of servers.',
    target: 'none',
    arguments: [{ name: 'SHELL', about: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    examples: [
      ['eval "$(tenon completion bash)"', 'in ~/.bashrc'],
      ['eval "$(tenon completion zsh)"', 'in ~/.zshrc, after compinit'],
      ['tenon completion fish > ~/.config/fish/completions/tenon.fish', 'once'],
    ],
    load: () => import('../../commands/build/completion.ts'),
  },
];
