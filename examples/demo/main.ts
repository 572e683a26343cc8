/** `npm start` serves the demo over HTTP, with `--stdio` on standard streams. `--auth` over HTTP with sign-in, `--guarded` with a policy and an audit log. `--compare` prints how the revisions differ. */
import { argv } from 'node:process';
import { fileProblem } from './sql/database-file.ts';

const problem = fileProblem();
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 1;
} else if (argv.includes('--stdio')) await import('./stdio.ts');
else if (argv.includes('--compare')) await import('./compare.ts');
else await import('./http.ts').catch(explain);

/** What Tenon names needs no stack, such as a port that another program has. */
async function explain(error: unknown): Promise<void> {
  const { TenonError } = await import('tenon');
  if (!(error instanceof TenonError)) throw error;
  console.error(
    error.code === 'listen-failed' ? `${error.message} PORT=3001 npm start takes port 3001.` : error.message,
  );
  process.exit(1);
}
