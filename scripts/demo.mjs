/** Runs the demo, and builds the page of the inspector once it is ready. */
import { spawn } from 'node:child_process';
import { root } from './command.mjs';

/**
 * Returns the child process. `buildPage` is called after the demo has printed its lines: before, it would take the processor
 * from it. Until the page is built, it says so and loads itself again.
 */
export function runDemo(args, buildPage, { output = 'inherit', env = process.env } = {}) {
  const hasPage = !args.includes('--stdio') && !args.includes('--compare');
  const program = args.includes('--gateway') ? 'examples/gateway/main.ts' : 'examples/demo/main.ts';
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    cwd: root,
    env,
    stdio: ['inherit', output, output, ...(hasPage ? ['ipc'] : [])],
  });
  if (hasPage) child.once('message', () => void buildPage().catch((error) => console.error(error.message)));
  return child;
}
