/** Commands that change configuration files and the shell. */
import type { CommandSpec } from '../../io/command.ts';

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
