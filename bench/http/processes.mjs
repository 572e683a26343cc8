/** Calls over HTTP with three processes of each server: one process can be a sixth faster than another of the same program. */
import { onDriverCore } from '../lib/pinning.mjs';
import { compare, report } from './http.mjs';
import { loads } from './loads.mjs';
import { yardstick } from './subjects.mjs';

const times = [1, 2, 3];

const present = (load) => [
  ...times.map((n) => ({ name: n === 1 ? yardstick : `${yardstick}, process ${n} (control)`, file: 'bare', load })),
  ...times.map((n) => ({ name: `tenon, process ${n}`, file: 'tenon', load })),
];

export const measure = (print) =>
  onDriverCore(async () => {
    const results = [];
    for (const load of loads.slice(0, 3)) {
      results.push(report(print, load, await compare(present(load), yardstick), yardstick));
    }
    return { loads: results };
  });
