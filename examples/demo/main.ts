/** `npm start`: serves the demo over HTTP; on standard streams with `--stdio`; shows what differs by revision with `--compare`. */
import { argv } from 'node:process';
import { fileProblem } from './sql/naming.ts';

const problem = fileProblem();
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 1;
} else if (argv.includes('--stdio')) await import('./stdio.ts');
else if (argv.includes('--compare')) await import('./compare.ts');
else await import('./http.ts');
