/** Figures are read from results by subject, and rounded. Run with `node --test bench/lib`. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf } from './figures.mjs';
import { lifecycles } from './lifecycles.mjs';

const { revision } = lifecycles.session;
const row = (name, time) => ({ name, timeOf: { 'bare loop': { median: time } } });

test('the share of each subject, and nothing of what did not take part', () => {
  const rows = [row('bare loop', 1), row('tenon', 1.0582), row('tenon, everything on', 3), row('official SDK v1', 8)];
  const figures = figuresOf('stdio', [{ title: 'small call', revision, rows }]);
  deepEqual(figures, {
    'stdio-small-session': { title: `small call over stdio, ${revision}`, values: { Tenon: 94.5, 'SDK v1': 12.5 } },
  });
});

test('sizes in kB, of the programs with zod', () => {
  const stdioServers = ['Tenon, schema by hand', 'Tenon, zod'].map((name, n) => ({
    name,
    whole: { gzip: 131_234 + n },
    start: { gzip: 101_234 },
  }));
  const { 'size-stdio': size, 'size-own-code': own } = figuresOf('sizes', { stdioServers });
  deepEqual([size.values, own.values], [{ Tenon: 131 }, { Tenon: 101 }]);
});

test('a topic without figures has none', () => {
  deepEqual(figuresOf('attacks', []), {});
});
