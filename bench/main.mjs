/** Runs the given topics, or all without an argument, and prints the environment and tables. */

import { readArguments } from './lib/arguments.mjs';
import { writeFigures } from './lib/figures.mjs';
import { save } from './lib/report.mjs';
import { infoLines, runInfo } from './lib/run-info.mjs';

/** `onlyByName`: needs preparation, or much time. */
const topics = {
  checks: { open: () => import('./checks/checks.mjs') },
  'in-process': { open: () => import('./in-process/in-process.mjs') },
  stdio: { open: () => import('./stdio/stdio.mjs') },
  http: { open: () => import('./http/http.mjs') },
  protected: { open: () => import('./http/protected.mjs'), options: ['json', 'short'] },
  guarded: { open: () => import('./http/guarded.mjs'), options: ['json', 'short'] },
  audit: { open: () => import('./audit/audit.mjs') },
  processes: { open: () => import('./http/processes.mjs'), onlyByName: true },
  client: { open: () => import('./client/client.mjs') },
  start: { open: () => import('./start/start.mjs') },
  agents: { open: () => import('./agents/agents.mjs') },
  guard: { open: () => import('./guard/guard.mjs') },
  stores: { open: () => import('./stores/stores.mjs') },
  tasks: { open: () => import('./tasks/tasks.mjs') },
  inspector: { open: () => import('./inspector/inspector.mjs') },
  official: { open: () => import('./official/official.mjs') },
  gateway: { open: () => import('./gateway/gateway.mjs'), options: ['short'] },
  attacks: { open: () => import('./attacks/attacks.mjs') },
  sizes: { open: () => import('./sizes/sizes.mjs') },
  soak: { open: () => import('./soak/soak.mjs'), word: 'minutes', options: ['short'], onlyByName: true },
  growth: { open: () => import('./growth/growth.mjs'), options: ['short'], onlyByName: true },
  compare: {
    open: () => import('./compare/compare.mjs'),
    word: 'commit or folder',
    options: ['short'],
    onlyByName: true,
  },
};

/** Runs one topic. With `json`, standard output has only its shares, a line each. */
async function runTopic({ name, word }, info, { json, short }) {
  const show = json ? console.error : console.log;
  const { measure } = await topics[name].open();
  const result = await measure((text) => show(`${text}\n`), { short, word });
  if (json) for (const share of result.shares) console.log(JSON.stringify(share));
  show(`stored in ${save(name, info, result)}\n`);
  // A short run shows that a topic works, not how fast it is.
  if (!short) writeFigures(name, info, result);
  for (const problem of result.problems ?? []) console.error(`bench: ${problem}`);
  if (result.problems?.length > 0) process.exitCode = 1;
}

try {
  const { runs, ...options } = readArguments(process.argv.slice(2), topics);
  const info = runInfo();
  (options.json ? console.error : console.log)(`${infoLines(info).join('\n\n')}\n`);
  for (const run of runs) await runTopic(run, info, options);
} catch (error) {
  console.error(error.message.startsWith('bench: ') ? error.message : error);
  process.exitCode = 1;
}
