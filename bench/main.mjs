/** Runs the given topics, or all without an argument, and prints the environment and tables. */

import { writeFigures } from './lib/figures.mjs';
import { save } from './lib/report.mjs';
import { infoLines, runInfo } from './lib/run-info.mjs';

const topics = {
  checks: () => import('./checks/checks.mjs'),
  'in-process': () => import('./in-process/in-process.mjs'),
  stdio: () => import('./stdio/stdio.mjs'),
  http: () => import('./http/http.mjs'),
  protected: () => import('./http/protected.mjs'),
  guarded: () => import('./http/guarded.mjs'),
  audit: () => import('./audit/audit.mjs'),
  processes: () => import('./http/processes.mjs'),
  client: () => import('./client/client.mjs'),
  start: () => import('./start/start.mjs'),
  agents: () => import('./agents/agents.mjs'),
  guard: () => import('./guard/guard.mjs'),
  stores: () => import('./stores/stores.mjs'),
  tasks: () => import('./tasks/tasks.mjs'),
  inspector: () => import('./inspector/inspector.mjs'),
  official: () => import('./official/official.mjs'),
  attacks: () => import('./attacks/attacks.mjs'),
  sizes: () => import('./sizes/sizes.mjs'),
  compare: () => import('./compare/compare.mjs'),
};

/** These run only by name: they need preparation. */
const onlyByName = new Set(['processes', 'compare']);

const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !Object.hasOwn(topics, name));

if (unknown.length > 0) {
  console.error(`bench: unknown topic ${unknown.join(', ')}; the topics are ${Object.keys(topics).join(', ')}`);
  process.exitCode = 1;
} else {
  const info = runInfo();
  console.log(`${infoLines(info).join('\n\n')}\n`);
  for (const name of requested.length > 0 ? requested : Object.keys(topics).filter((topic) => !onlyByName.has(topic))) {
    const { measure } = await topics[name]();
    const result = await measure((text) => console.log(`${text}\n`));
    console.log(`stored in ${save(name, info, result)}\n`);
    writeFigures(name, info, result);
  }
}
