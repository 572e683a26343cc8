/** Handlers as data: steps and questions, one after the other or side by side, and what must come of them. */
import type { Context } from 'tenon/server';
import { z } from 'zod';

export interface Part {
  readonly is: 'step' | 'ask';
  readonly key: string;
}

/** Each line runs its parts side by side. */
export type Program = readonly (readonly Part[])[];

/** One run of a step: by which process, and what it returned. */
export interface StepEffect {
  readonly key: string;
  readonly process: number;
  readonly value: string;
}

const answerForm = z.object({ text: z.string() });

export const answerTo = (key: string): { action: 'accept'; content: { text: string } } => ({
  action: 'accept',
  content: { text: `answer ${key}` },
});

/** Runs a program as a process would; every step adds to the effects. */
export async function runProgram(
  program: Program,
  ctx: Context,
  process: number,
  effects: StepEffect[],
): Promise<string> {
  const found: Record<string, string> = {};
  const run = async ({ is, key }: Part): Promise<void> => {
    if (is === 'step')
      found[key] = await ctx.step(key, () => {
        const value = `${key} ${effects.length}`;
        effects.push({ key, process, value });
        return value;
      });
    else {
      const given = await ctx.elicit(key, { message: key, schema: answerForm });
      found[key] = given.action === 'accept' ? given.content.text : given.action;
    }
  };
  for (const parts of program) await Promise.all(parts.map(run));
  return JSON.stringify(found);
}

/** What the result must have, by what the journal says. */
export function expectedResult(program: Program, steps: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parts = program.flat();
  return Object.fromEntries(parts.map(({ is, key }) => [key, is === 'step' ? steps[key] : `answer ${key}`]));
}
