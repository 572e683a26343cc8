/** Commands that record and replay conversations, compare servers and generate types. */
import type { ArgumentSpec, CommandSpec } from '../../io/command.ts';

const file: ArgumentSpec = { name: 'FILE', about: 'a capture, as tenon record writes it' };

export const capture: readonly CommandSpec[] = [
  {
    name: 'record',
    group: 'capture',
    about: 'Stands between a client and a server, and records what they exchange, without secrets.',
    target: 'one',
    before: [{ name: 'FILE', about: 'the capture to write; if the file exists, its name gets a number' }],
    options: {
      listen: { about: 'serve HTTP clients on this port of this machine (0: any free port)', value: 'PORT' },
      'keep-answers': { about: 'also record what users answer to forms' },
    },
    examples: [
      ['tenon record session.mcp.ndjson -- node server.js', 'the command that a client starts instead of the server'],
      ['tenon record session.mcp.ndjson https://example.com/mcp --listen 3000', 'for a client of a URL'],
    ],
    load: () => import('../../commands/capture/record.ts'),
  },
  {
    name: 'replay',
    group: 'capture',
    about: 'Serves a capture as a server, or makes its calls again.',
    target: 'optional',
    before: [file],
    options: {
      serve: {
        about: 'serve it over HTTP on this port of this machine (0: any free port); without it, on standard streams',
        value: 'PORT',
      },
      exact: { about: 'answer only the recorded requests, in their order, each once' },
      faults: { about: 'a JSON file with faults to inject', value: 'FILE' },
    },
    examples: [
      ['tenon replay session.mcp.ndjson --serve 3000', 'a server that gives the recorded results'],
      ['tenon call echo message=hi -- tenon replay session.mcp.ndjson', 'the same for a client that starts it'],
      ['tenon replay session.mcp.ndjson https://example.com/mcp', 'makes the recorded calls at another server'],
    ],
    load: () => import('../../commands/capture/replay.ts'),
  },
  {
    name: 'test',
    group: 'capture',
    about: 'Makes the calls of a capture again and shows what differs. Recorded tools run.',
    target: 'one',
    before: [file],
    options: {
      only: { about: 'only calls of this method, tool, prompt or resource', value: 'NAME', isRepeated: true },
      ignore: {
        about: 'a place that may differ, such as structuredContent.at or content[*].text',
        value: 'PLACE',
        isRepeated: true,
      },
      'ignore-times': { about: 'times may differ, in numbers and texts' },
      'ignore-ids': { about: 'UUIDs, ULIDs and long hexadecimal ids may differ' },
    },
    examples: [
      ['tenon test session.mcp.ndjson ./server.ts --ignore-times', 'exits with 1 if a result differs'],
      ['tenon test session.mcp.ndjson --only tools/list -- node server.js', 'only the list of tools'],
    ],
    load: () => import('../../commands/capture/test.ts'),
  },
];

/** Commands that compare servers and generate types. */
export const contract: readonly CommandSpec[] = [
  {
    name: 'diff',
    group: 'contract',
    about: 'Compares two servers, or two versions of one, and says which callers a change breaks.',
    target: 'two',
    options: {
      calls: { about: 'say which calls of this capture break; they decide the exit code', value: 'CAPTURE' },
      strict: { about: 'exit with 1 also if something is undecided' },
    },
    examples: [
      ['tenon diff server.json ./server.ts', 'a stored snapshot and the server as it is now'],
      ['tenon diff https://example.com/mcp http://localhost:3000/mcp', 'two servers'],
      ['tenon diff server.json -- node server.js', 'with a command, which is the later one'],
      ['tenon diff old.json new.json --calls session.mcp.ndjson', 'what it means for recorded calls'],
    ],
    load: () => import('../../commands/capture/diff.ts'),
  },
  {
    name: 'types',
    group: 'contract',
    about: 'Writes a module with the types of the tools and prompts of a server, and a contract for connect.',
    target: 'one',
    options: {
      out: { about: 'write it to this file; standard output by default', value: 'FILE', short: 'o' },
      tool: { about: 'only this tool, without prompts', value: 'NAME', isRepeated: true },
    },
    examples: [
      ['tenon types https://example.com/mcp -o weather.ts', 'all tools and prompts'],
      ['tenon types ./server.ts --tool add', 'one tool, printed'],
    ],
    load: () => import('../../commands/capture/types.ts'),
  },
];
