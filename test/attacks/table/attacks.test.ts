/** The attack table: each row is sent to a real server, and gets exactly its refusal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attack, Refusal } from './attack.ts';
import { allowed } from './rows/allowed.ts';
import { attacks } from './rows/index.ts';
import { canary } from './run/depot.ts';
import type { Outcome } from './run/outcome.ts';
import { type Runner, startRunner } from './run/run.ts';

let runner: Runner;
beforeAll(async () => {
  runner = await startRunner();
});
afterAll(() => runner.close());

/** The beginning of a line that an attacker wrote, and characters that drive a terminal or reorder text. */
const forgeries = ['\nforged', '\u0007', '\u001b', '\u202e', '\u2028'];

describe('the attack', () => {
  it.each(attacks.map((attack) => [attack.id, attack.attacker, attack.does, attack] as const))(
    '%s, in which %s %s, gets its refusal [S24]',
    async (_id, _attacker, _does, attack: Attack) => {
      const outcome = await runner.run(attack.sends);
      expect(shown(outcome, attack.gets)).toEqual(expected(attack.gets));
      expect(outcome.raw).not.toContain(canary);
      expect(forgeries.filter((part) => outcome.raw.includes(part))).toEqual([]);
      expect(runner.depot.harm).toEqual([]);
      const { sameAs } = attack.gets;
      expect(sameAs === undefined ? outcome.raw : (await runner.run(sameAs)).raw).toBe(outcome.raw);
    },
  );
});

it.each(allowed.map((row) => [row.what, row] as const))('%s is served', async (_what, { sends, gets }) => {
  expect(shown(await runner.run(sends), gets)).toEqual(expected(gets));
});

/** Of an outcome, what a row says about it: a part of a message is found in it, what was served is compared as a whole. */
function shown({ status, code, text }: Outcome, { because, ...gets }: Refusal) {
  const isPart = because !== undefined && code !== 'served' && text.includes(because);
  return {
    ...(gets.status !== undefined && { status }),
    ...(gets.code !== undefined && { code }),
    ...(because !== undefined && { because: isPart ? because : text }),
  };
}

const expected = ({ status, code, because }: Refusal) => ({
  ...(status !== undefined && { status }),
  ...(code !== undefined && { code }),
  ...(because !== undefined && { because }),
});

it('the table has at least 120 attacks, and no id twice [S24]', () => {
  const ids = attacks.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(120);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
