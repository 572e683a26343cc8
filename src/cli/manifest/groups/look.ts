/** Commands that show what a server is and offers. */
import type { CommandSpec } from '../../io/command.ts';

export const look: readonly CommandSpec[] = [
  {
    name: 'info',
    group: 'look',
    about: 'Shows who the server is, what it can do, and which protocol version is used.',
    target: 'one',
    options: { snapshot: { about: 'write all that it offers to this file, for tenon diff', value: 'FILE' } },
    examples: [
      ['tenon info https://example.com/mcp', 'a server at a URL'],
      ['tenon info -- npx -y @modelcontextprotocol/server-everything', 'a server that is started for it'],
      ['tenon info ./server.ts --snapshot server.json', 'stores what it offers'],
    ],
    load: () => import('../../commands/look/info.ts'),
  },
  {
    name: 'servers',
    group: 'look',
    about:
      'Connects to all configured servers at once, and shows which of them answer. Starts those that are programs.',
    target: 'none',
    options: {
      config: { about: 'those of this file; without it, of all configuration files', value: 'FILE' },
      timeout: { about: 'wait this many seconds for each (default 10)', value: 'SECONDS' },
      'allow-variable': {
        about: 'pass this environment variable to the servers of the project',
        value: 'NAME',
        isRepeated: true,
      },
    },
    examples: [
      ['tenon servers', 'exits with 1 if one of them does not answer'],
      ['tenon servers --json', 'one entry for each, with name, status and ms'],
    ],
    load: () => import('../../commands/look/servers.ts'),
  },
  {
    name: 'ping',
    group: 'look',
    about: 'Checks that a server answers, and how fast.',
    target: 'one',
    options: { count: { about: 'how often (default 1)', value: 'N', short: 'n' } },
    examples: [['tenon ping https://example.com/mcp -n 5', 'five times']],
    load: () => import('../../commands/look/ping.ts'),
  },
  ...(['tools', 'resources', 'templates', 'prompts'] as const).map(
    (name): CommandSpec => ({
      name,
      group: 'look',
      about: `Lists the ${name === 'templates' ? 'resource templates' : name} of a server.`,
      target: 'one',
      arguments: [{ name: 'NAME', about: 'show only this one, with its arguments', isOptional: true }],
      examples: [
        [`tenon ${name} ./server.ts`, 'all of them'],
        [`tenon ${name} https://example.com/mcp --json`, 'as JSON, with all that the server sends of them'],
      ],
      load: async () => (await import('../../commands/look/lists.ts')).lists[name],
    }),
  ),
  {
    name: 'watch',
    group: 'look',
    about: 'Shows what changes on a server, and what it logs, until Ctrl+C.',
    target: 'one',
    arguments: [{ name: 'URI', about: 'resources to watch, besides the lists', isRest: true }],
    options: {
      level: {
        about: 'the lowest level of log messages (default info)',
        value: 'LEVEL',
        choices: ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'],
      },
      count: { about: 'end after this many events', value: 'N', short: 'n' },
    },
    examples: [
      ['tenon watch https://example.com/mcp', 'changes of lists, and logs'],
      ['tenon watch https://example.com/mcp note:///today --json', 'a resource too, one JSON envelope a line'],
    ],
    load: () => import('../../commands/look/watch.ts'),
  },
  {
    name: 'inspect',
    group: 'look',
    about: 'Opens the inspector, a page to see and steer a conversation, on a server or a capture.',
    target: 'optional',
    options: {
      port: { about: 'the port of the page on this machine (default: any free one)', value: 'PORT' },
      open: { about: 'open the page in the browser' },
    },
    examples: [
      ['tenon inspect', 'choose a server in the page'],
      ['tenon inspect https://example.com/mcp', 'a server at a URL'],
      ['tenon inspect -- node server.js', 'a server that is started for it'],
      ['tenon inspect session.mcp.ndjson', 'a capture'],
    ],
    load: () => import('../../commands/look/inspect.ts'),
  },
];
