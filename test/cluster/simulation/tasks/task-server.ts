/** The server of every node of a cluster with tasks: steps report that they run, and results carry what was stored. */
import { type Context, createServer, type Server, tool } from 'tenon/server';
import { z } from 'zod';
import type { TaskResult } from '../../history/task-events.ts';
import type { World } from '../faults.ts';
import type { NodeLife } from '../node-life.ts';
import { secrets } from '../server.ts';
import { wait } from '../virtual-time.ts';

/** How long a process that is lost holds its tasks: shorter than a pause, so that paused workers lose theirs. */
const leaseMs = 3000;

/** When a task fails that has not finished: after the faults have ended. */
export const deadlineMs = 45_000;

export const taskTools = ['report', 'survey', 'once', 'broken', 'nap', 'retried'] as const;
export type TaskTool = (typeof taskTools)[number];

/** What a question carries, for the client that gets it. */
export interface Question {
  readonly token: string;
  readonly owner: string;
  readonly question: string;
}

const inputSchema = z.object({ token: z.string() });
const answerForm = z.object({ answer: z.string() });
const task = { support: 'optional', deadlineMs } as const;

type Result = { -readonly [K in keyof TaskResult]: TaskResult[K] extends object ? Record<string, string> : string };

export function taskServer(life: NodeLife, { random, recorder }: World): Server {
  let runs = 0;

  /** Work that takes time; a killed node does not finish it. */
  const work = async (maxMs: number): Promise<void> => {
    await wait(random.below(maxMs));
    await life.running();
  };

  const step = async (ctx: Context, result: Result, key: string, once = false): Promise<void> => {
    const options = once ? ({ ifUncertain: 'fail' } as const) : {};
    const run = async ({ key: name }: { readonly key: string }): Promise<string> => {
      const value = `${key} ${life.name} ${++runs}`;
      const id = name.slice(0, name.indexOf('/'));
      recorder.record({ type: 'step-run', task: id, key, node: life.name, value, ...(once && { once }) });
      // Some take long enough for their node to be lost meanwhile.
      await work(once || random.below(4) === 0 ? 1500 : 200);
      return value;
    };
    result.steps[key] = await ctx.step(key, run, options);
  };

  const ask = async (ctx: Context, result: Result, question: string): Promise<void> => {
    const { token, owner } = result;
    const message = JSON.stringify({ token, owner, question } satisfies Question);
    const given = await ctx.elicit(question, { message, schema: answerForm });
    result.answers[question] = given.action === 'accept' ? given.content.answer : `${token} ${given.action}`;
  };

  const handler = (run: (ctx: Context, result: Result) => Promise<void>, more: object = {}) =>
    tool({ inputSchema, task: { ...task, ...more } }, async ({ token }, ctx) => {
      const result: Result = { token, owner: ctx.caller.principal?.key ?? '', steps: {}, answers: {} };
      await run(ctx, result);
      await work(100);
      return JSON.stringify(result);
    });

  const tools = {
    report: handler(async (ctx, result) => {
      for (const key of ['read', 'sort', 'write']) await step(ctx, result, key);
      await Promise.all([step(ctx, result, 'print'), step(ctx, result, 'send')]);
    }),
    survey: handler(async (ctx, result) => {
      await step(ctx, result, 'open');
      // A step is under way while the task begins to wait.
      await Promise.all([step(ctx, result, 'beside'), ask(ctx, result, 'name')]);
      await step(ctx, result, 'middle');
      await Promise.all([ask(ctx, result, 'color'), ask(ctx, result, 'size')]);
      await step(ctx, result, 'close');
    }),
    once: handler(async (ctx, result) => {
      await step(ctx, result, 'before');
      await step(ctx, result, 'pay', true);
      await step(ctx, result, 'after');
    }),
    nap: handler(async (ctx, result) => {
      await step(ctx, result, 'before');
      await ctx.sleep('nap', 1 + random.below(3000));
      // An answer and a sleep at once: whichever is first wakes the task.
      await Promise.all([ask(ctx, result, 'name'), ctx.sleep('rest', 2000), step(ctx, result, 'beside')]);
      await step(ctx, result, 'after');
    }),
    retried: handler(
      async (ctx, result) => {
        await step(ctx, result, 'kept');
        await work(100);
        if (random.below(2) === 0) throw new Error('This run fails');
        await step(ctx, result, 'done');
      },
      { retry: { attempts: 5, backoffMs: 200 } },
    ),
    broken: handler(async (ctx, result) => {
      await step(ctx, result, 'try');
      throw new Error('This tool fails');
    }),
  } satisfies Record<TaskTool, unknown>;

  return createServer(
    { name: 'simulated', version: '1.0.0', pageSize: 3, tools },
    { secrets, tasks: { leaseMs }, onError: () => {} },
  ) as Server;
}
