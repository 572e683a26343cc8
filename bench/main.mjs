/** Runs the topics asked for, all without an argument, and prints facts and tables. */
import { factLines, facts } from './lib/facts.mjs';
import { save } from './lib/report.mjs';

const topics = {
  checks: () => import('./checks/checks.mjs'),
  'in-process': () => import('./in-process/in-process.mjs'),
  stdio: () => import('./stdio/stdio.mjs'),
  http: () => import('./http/http.mjs'),
  processes: () => import('./http/processes.mjs'),
  client: () => import('./client/client.mjs'),
  start: () => import('./start/start.mjs'),
  attacks: () => import('./attacks/attacks.mjs'),
  sizes: () => import('./sizes/sizes.mjs'),
  compare: () => import('./compare/compare.mjs'),
};

/** These need something that is not there by itself. */
const onlyByName = new Set(['processes', 'compare']);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(topics, name));

if (unknown.length > 0) {
  console.error(`bench: no topic ${unknown.join(', ')}; there are ${Object.keys(topics).join(', ')}`);
  process.exitCode = 1;
} else {
  const known = facts();
  console.log(`${factLines(known).join('\n\n')}\n`);
  for (const name of asked.length > 0 ? asked : Object.keys(topics).filter((topic) => !onlyByName.has(topic))) {
    const { measure } = await topics[name]();
    const result = await measure((text) => console.log(`${text}\n`));
    console.log(`kept in ${save(name, known, result)}\n`);
  }
}
