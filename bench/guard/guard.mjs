/** Decisions of a policy of 100 rules: one call, and filtering a list of 1,000 tools. */
import { isolate } from '../lib/isolation.mjs';
import { table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';

const pace = { rounds: 20, sliceMs: 60, warmMs: 500 };
const yardstick = 'a look-up in a Map';
const decisions = new URL('./decisions.mjs', import.meta.url);

const jobs = {
  [yardstick]: { kind: 'map' },
  'a decision, exact names': { kind: 'decide', names: 'exact' },
  'a decision, patterns': { kind: 'decide', names: 'patterns' },
  'a decision, patterns and a condition': { kind: 'decide', names: 'patterns', when: true },
  'a list of 1,000 tools, patterns': { kind: 'list', names: 'patterns' },
};

export async function measure(print) {
  const subjects = await Promise.all(
    Object.entries(jobs).map(([name, job]) => isolate(name, decisions, { title: name, ...job })),
  );
  try {
    const rows = summarize(await alternate(subjects, pace), [yardstick]);
    print('### A policy of 100 rules');
    print(
      table(
        ['', 'µs of processor time'],
        rows.map(({ name, cpuMicros }) => [name, threeFigures(cpuMicros)]),
      ),
    );
    return { pace, rows };
  } finally {
    for (const { close } of subjects) close?.();
  }
}
