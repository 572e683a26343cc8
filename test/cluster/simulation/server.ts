/** The server of every simulated node: its tools report what they do, and results carry whose they are. */
import { createServer, resource, type Server, tool } from 'tenon/server';
import { z } from 'zod';
import type { World } from './faults.ts';
import type { NodeLife } from './node-life.ts';
import { wait } from './virtual-time.ts';

export const secrets = ['a secret that all nodes know'];

export const topics = ['note://1', 'note://2', 'note://3', 'note://4'];

const token = z.string();
const addInput = z.object({ token, idempotencyKey: z.string().optional() });
const countInput = z.object({ token, to: z.number() });
const askInput = z.object({ token });
const answerForm = z.object({ answer: z.string() });

export function simulatedServer(life: NodeLife, { random, recorder }: World): Server {
  /** Work that takes time; a killed node does not finish it. */
  const work = async (maxMs: number): Promise<void> => {
    await wait(random.below(maxMs));
    await life.running();
  };

  const add = tool({ inputSchema: addInput }, async ({ token, idempotencyKey }, { caller }) => {
    const owner = caller.principal?.key ?? '';
    await work(200);
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    recorder.record({ type: 'effect', node: life.name, principal: owner, token, ...key });
    await work(200);
    return JSON.stringify({ token, owner });
  });

  const count = tool({ inputSchema: countInput }, async ({ token, to }, { caller, reportProgress }) => {
    const owner = caller.principal?.key ?? '';
    for (let n = 1; n <= to; n++) {
      await work(150);
      reportProgress(n, to, owner);
    }
    await work(50);
    return JSON.stringify({ token, owner, count: to });
  });

  const ask = tool({ inputSchema: askInput }, async ({ token }, { caller, elicit }) => {
    const owner = caller.principal?.key ?? '';
    await work(100);
    const given = await elicit('answer', { message: JSON.stringify({ token, owner }), schema: answerForm });
    await work(100);
    return JSON.stringify({ token, owner, answers: given.action === 'accept' ? [given.content.answer] : [] });
  });

  return createServer(
    {
      name: 'simulated',
      version: '1.0.0',
      tools: { add, count, ask },
      resources: Object.fromEntries(topics.map((uri) => [uri, resource({ name: uri }, () => uri)])),
    },
    { secrets, onError: () => {} },
  ) as Server;
}
