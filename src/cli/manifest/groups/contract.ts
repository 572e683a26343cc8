/** Commands that compare servers and generate types. */
import type { CommandSpec } from '../../io/command.ts';

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
