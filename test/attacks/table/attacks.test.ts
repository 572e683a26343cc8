/** The attack table: each row is sent to a real server, gets exactly its refusal, and leaves its audit record. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Attack, Refusal, Sent } from './attack.ts';
import { allowed } from './rows/allowed.ts';
import { attacks } from './rows/index.ts';
import { canary } from './run/audit.ts';
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
    '%s, in which %s %s, gets its refusal [S23, S24]',
    async (_id, _attacker, _does, { sends, gets, audited }: Attack) => {
      const { audit, harm } = runner.depot;
      await audit.look();
      const outcome = await runner.run(sends);
      expect(shown(outcome, gets)).toEqual(expected(gets));
      expect([canary, gets.lacks ?? canary, ...forgeries].filter((part) => outcome.raw.includes(part))).toEqual([]);
      expect(harm.splice(0)).toEqual([]);
      const kinds = (await audit.look()).map(({ kind }) => kind);
      const wanted = [audited ?? []].flat();
      expect(wanted.length === 0 || kinds.some((kind) => wanted.includes(kind)), `recorded: ${kinds.join()}`).toBe(
        true,
      );
      const twin = twinOf(sends, gets);
      expect(twin && (await runner.run(twin.sends)).raw).toBe(twin?.renamed(outcome.raw));
    },
  );
});

it.each(allowed.map((row) => [row.what, row] as const))('%s is served', async (_what, { sends, gets }) => {
  expect(shown(await runner.run(sends), gets)).toEqual(expected(gets));
});

it('the audit log of all of them is whole, and names no secret [S24, S31]', async () => {
  expect(await runner.depot.audit.close()).toEqual({ valid: true, hasCanary: false });
});

it('the table has at least 120 attacks, and no id twice [S24]', () => {
  const ids = attacks.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(120);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
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

/** What must get the same answer, and how that names what it is about. */
function twinOf(sends: Sent, { sameAs, likeUnknown }: Refusal) {
  if (sameAs !== undefined) return { sends: sameAs, renamed: (raw: string) => raw };
  if (likeUnknown === undefined) return undefined;
  const [name, unknown] = likeUnknown;
  const renamed = (text: string): string => text.replaceAll(name, unknown);
  return { sends: inTexts(sends, renamed) as Sent, renamed };
}

/** Changes every text in a value. */
function inTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => inTexts(one, change));
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inTexts(one, change)]));
}
