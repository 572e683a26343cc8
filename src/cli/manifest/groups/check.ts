/** Commands that find problems. */
import type { CommandSpec } from '../../io/command.ts';

export const check: readonly CommandSpec[] = [
  {
    name: 'doctor',
    group: 'check',
    about: 'Runs the steps of connecting one by one, and says what to do about the one that fails.',
    target: 'one',
    examples: [
      ['tenon doctor https://example.com/mcp', 'a server that cannot be reached'],
      ['tenon doctor -- node server.js', 'a server that does not start'],
      ['tenon doctor https://mcp.example.com/mcp', 'a wrong setting of the provider where users sign in'],
    ],
    load: () => import('../../commands/check/doctor.ts'),
  },
  {
    name: 'bench',
    group: 'check',
    about: 'Calls a tool many times, and shows calls per second and latencies. The tool really runs each time.',
    target: 'one',
    arguments: [
      { name: 'TOOL', about: 'the name of the tool' },
      { name: 'ARGUMENTS', about: 'as for tenon call', isRest: true },
    ],
    options: {
      calls: { about: 'end after so many calls (default 1000, at most 1000000)', value: 'N', short: 'n' },
      seconds: { about: 'end after so many seconds (default 10, at most 600)', value: 'S' },
      concurrency: { about: 'so many calls at once (default 1, at most 1000)', value: 'N', short: 'c' },
      args: { about: 'the arguments as one JSON object, or - for standard input', value: 'JSON' },
    },
    examples: [
      ['tenon bench ./server.ts add a=1 b=2', 'one call after the other'],
      ['tenon bench https://example.com/mcp search q=x -c 20 --seconds 30 -n 100000', '20 at once for half a minute'],
    ],
    load: () => import('../../commands/check/bench.ts'),
  },
];
