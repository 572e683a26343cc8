/** Commands that find problems. */
import type { CommandSpec } from '../../io/command.ts';

export const check: readonly CommandSpec[] = [
  {
    name: 'doctor',
    group: 'check',
    about:
      'Runs the steps of connecting one by one. For the one that fails it shows what was expected, what was found and how to fix it.',
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
    about:
      'Calls a tool many times, and shows calls per second and latencies. The tool really runs each time. Ctrl+C shows what was measured so far.',
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
  {
    name: 'check',
    group: 'check',
    about: 'Shows what the tools of a server cost a model, and what models will trip over.',
    target: 'one',
    options: {
      budget: { about: 'exit with 1 if all tools take more tokens', value: 'N' },
      examples: { about: 'call the tools with the arguments in this file; they really run', value: 'FILE' },
      'result-budget': {
        about: 'exit with 1 if the result of an example takes more tokens (default 5000)',
        value: 'N',
      },
      ignore: {
        about: 'leave out the findings of this rule; RULE:TOOL leaves them out for one tool',
        value: 'RULE',
        isRepeated: true,
      },
      format: { about: 'print a report for other programs', value: 'FORMAT', choices: ['junit', 'sarif'] },
    },
    examples: [
      ['tenon check ./server.ts --budget 5000', 'exits with 1 over the budget, or with a finding of level error'],
      ['tenon check https://example.com/mcp --ignore description-long', 'without one rule'],
      ['tenon check ./server.ts --examples calls.json --result-budget 2000', 'also what results cost'],
      ['tenon check ./server.ts --format sarif', 'for code scanning'],
    ],
    load: () => import('../../commands/check/check.ts'),
  },
  {
    name: 'eval',
    group: 'check',
    about: 'Runs an agent on prompts and checks which tools it calls. Tools without a result in the file really run.',
    target: 'optional',
    before: [{ name: 'FILE', about: 'a JSON file: prompts, each with expected and forbidden tools' }],
    options: {
      agent: {
        about: 'a module whose default export answers a prompt; without it, the scripts of the file',
        value: 'MODULE',
      },
      steps: { about: 'the most calls for a prompt (default 10, at most 1000)', value: 'N' },
      seconds: { about: 'the most seconds for a prompt (default 60, at most 3600)', value: 'S' },
    },
    examples: [
      ['tenon eval prompts.json ./server.ts --agent agent.ts', 'exits with 1 if a prompt is missed'],
      ['tenon eval prompts.json ./server.ts', 'the scripts of the file, without a model'],
      ['tenon eval prompts.json --agent agent.ts', 'an agent with tools of its own, which returns its calls'],
    ],
    load: () => import('../../commands/check/eval.ts'),
  },
];
