/** Decisions of a policy of 100 rules, and limits in memory: one call, and filtering a list of 1,000 tools. */
import { isolate } from '../lib/isolation.mjs';
import { table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';

const pace = { rounds: 20, sliceMs: 60, warmMs: 500 };
const yardstick = 'a look-up in a Map';
const decisions = new URL('./decisions.mjs', import.meta.url);
const limits = new URL('./limits.mjs', import.meta.url);

const jobs = {
  [yardstick]: { kind: 'map' },
  'a decision, exact names': { kind: 'decide', names: 'exact' },
  'a decision, patterns': { kind: 'decide', names: 'patterns' },
  'a decision, patterns and a condition': { kind: 'decide', names: 'patterns', when: true },
  'a list of 1,000 tools, patterns': { kind: 'list', names: 'patterns' },
  'limits of a call: one rate': { kind: 'limits' },
  'limits of a call: two rates and a slot': { kind: 'limits', slots: true },
};

export async function measure(print) {
  const subjects = await Promise.all(
    Object.entries(jobs).map(([name, job]) =>
      isolate(name, job.kind === 'limits' ? limits : decisions, { title: name, ...job }),
    ),
  );
  try {
    const rows = summarize(await alternate(subjects, pace), [yardstick]);
    print('### A policy of 100 rules, and limits');
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
