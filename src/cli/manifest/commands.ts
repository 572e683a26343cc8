/** All commands. Nothing here loads one. */
import type { ArgumentSpec, CommandSpec, OptionSpec } from './command.ts';

const fields: ArgumentSpec = {
  name: 'ARGUMENTS',
  about: 'k=v for texts and what the schema says, k:=JSON for anything, or one JSON object',
  isRest: true,
};

const calling: Readonly<Record<string, OptionSpec>> = {
  args: { about: 'the arguments as one JSON object, or - for standard input', value: 'JSON' },
  form: { about: 'ask for the arguments in the terminal' },
  save: { about: 'write images, audio and blobs to this folder', value: 'DIR' },
};

export const commands: readonly CommandSpec[] = [
  {
    name: 'info',
    group: 'look',
    about: 'Shows who the server is, what it can do, and which protocol version is used.',
    target: 'one',
    examples: [
      ['tenon info https://example.com/mcp', 'a server at a URL'],
      ['tenon info -- npx -y @modelcontextprotocol/server-everything', 'a server that is started for it'],
    ],
    load: () => import('../commands/info.ts'),
  },
  {
    name: 'ping',
    group: 'look',
    about: 'Checks that a server answers, and how fast.',
    target: 'one',
    options: { count: { about: 'how often (default 1)', value: 'N', short: 'n' } },
    examples: [['tenon ping https://example.com/mcp -n 5', 'five times']],
    load: () => import('../commands/ping.ts'),
  },
  ...(['tools', 'resources', 'templates', 'prompts'] as const).map(
    (name): CommandSpec => ({
      name,
      group: 'look',
      about: `Lists the ${name === 'templates' ? 'resource templates' : name} of a server.`,
      target: 'one',
      arguments: [{ name: 'NAME', about: 'show this one in full', isOptional: true }],
      examples: [
        [`tenon ${name} ./server.ts`, 'all of them'],
        [`tenon ${name} https://example.com/mcp --json`, 'as JSON, with their schemas'],
      ],
      load: async () => (await import('../commands/lists.ts')).lists[name],
    }),
  ),
  {
    name: 'call',
    group: 'use',
    about: 'Calls a tool.',
    target: 'one',
    arguments: [{ name: 'TOOL', about: 'the name of the tool' }, fields],
    options: calling,
    examples: [
      ['tenon call echo message=hi -- node server.js', 'a text'],
      ['tenon call https://example.com/mcp add a:=1 b:=2 --json', 'numbers, with the result as JSON'],
      ['tenon call ./server.ts report --form', 'a form for each argument'],
    ],
    load: () => import('../commands/call.ts'),
  },
  {
    name: 'read',
    group: 'use',
    about: 'Reads a resource.',
    target: 'one',
    arguments: [{ name: 'URI', about: 'the URI of the resource' }],
    options: { save: { about: 'write blobs to this folder', value: 'DIR' } },
    examples: [['tenon read ./server.ts file:///notes.txt', 'prints it']],
    load: () => import('../commands/read.ts'),
  },
  {
    name: 'get',
    group: 'use',
    about: 'Gets the messages of a prompt.',
    target: 'one',
    arguments: [
      { name: 'PROMPT', about: 'the name of the prompt' },
      { ...fields, about: 'k=v' },
    ],
    examples: [['tenon get ./server.ts review language=ts', 'with an argument']],
    load: () => import('../commands/get.ts'),
  },
  {
    name: 'complete',
    group: 'use',
    about: 'Completes an argument of a prompt, or a variable of a resource template.',
    target: 'one',
    arguments: [
      { name: 'REF', about: 'the name of a prompt, or a URI template' },
      { name: 'ARGUMENT', about: 'what is typed so far, as k=v; earlier arguments before it', isRest: true },
    ],
    examples: [['tenon complete ./server.ts review language=ty', 'what begins with ty']],
    load: () => import('../commands/complete.ts'),
  },
];
