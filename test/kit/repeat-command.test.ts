import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { repeatCommand } from './repeat-command.ts';

it('a property that fails throws the command that repeats it', () => {
  const fail = (): void =>
    fc.assert(
      fc.property(fc.nat(), () => false),
      { seed: 11, numRuns: 1 },
    );
  const test = `test/kit/repeat-command.test.ts -t 'a property that fails throws the command that repeats it'`;
  expect(fail).toThrow(`TENON_SEED=11 npx vitest run ${test}\n`);
});

it("a command quotes what a shell or a pattern would read: it's $1 (of [2])", () => {
  const name = String.raw`a command quotes what a shell or a pattern would read: it'\''s \$1 \(of \[2\]\)`;
  expect(repeatCommand('CHAOS_SEED', 3)).toMatch(/CHAOS_SEED=3 npx vitest run /);
  expect(repeatCommand('CHAOS_SEED', 3).endsWith(` -t '${name}'`)).toBe(true);
  expect(repeatCommand('CHAOS_SEED', 3, 'another').endsWith(" -t 'another'")).toBe(true);
});
