/** Random handlers: a client sees through a gateway what it sees at the server itself, whichever of both has sessions. */
import * as fc from 'fast-check';
import { type Client, createServer, type ProtocolVersion, RpcError, type Server, tool } from 'tenon';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { scaled } from '../kit/long.ts';
import { exchangeVersion, isSession } from '../kit/version-order.ts';
import { openClient, startGateway } from './start.ts';

const versions = [newestSession.id as ProtocolVersion, exchangeVersion];

/** What a handler does, one after the other. */
const step = fc.oneof(
  fc.record({ do: fc.constant('progress' as const), message: fc.string({ maxLength: 5 }) }),
  fc.record({ do: fc.constant('log' as const), data: fc.jsonValue({ maxDepth: 2 }) }),
  fc.record({ do: fc.constant('form' as const), message: fc.string({ minLength: 1, maxLength: 8 }) }),
  fc.record({ do: fc.constant('sample' as const), text: fc.string({ maxLength: 8 }) }),
  fc.record({ do: fc.constant('roots' as const) }),
);
const ending = fc.oneof(
  fc.record({ do: fc.constant('return' as const), text: fc.string({ maxLength: 8 }) }),
  fc.record({
    do: fc.constant('fail' as const),
    code: fc.integer({ min: 1, max: 9999 }),
    data: fc.jsonValue({ maxDepth: 1 }),
  }),
);
const plan = fc.record({ steps: fc.array(step, { maxLength: 5 }), ending });
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

const acting = ({ steps, ending: last }: Plan): Server =>
  createServer({
    name: 'acting',
    version: '1.0.0',
    tools: {
      act: tool({}, async (_args, ctx) => {
        const answers: unknown[] = [];
        for (const [at, one] of steps.entries()) {
          const key = `step-${at}`;
          if (one.do === 'progress') ctx.reportProgress(at + 1, steps.length, one.message);
          else if (one.do === 'log') ctx.log('warning', one.data);
          else if (one.do === 'form')
            answers.push(await ctx.elicit(key, { message: one.message, schema: z.object({ name: z.string() }) }));
          else if (one.do === 'roots') answers.push(await ctx.listRoots(key));
          else {
            const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: one.text } }];
            answers.push((await ctx.sample(key, { messages, maxTokens: 5 })).content);
          }
        }
        if (last.do === 'fail') throw new RpcError(last.code, 'Own error', last.data);
        return `${last.text} ${JSON.stringify(answers)}`;
      }),
    },
  }) as Server;

async function transcript(target: unknown, version: ProtocolVersion): Promise<unknown[]> {
  const seen: unknown[] = [];
  const client: Client = await openClient(target, {
    protocolVersions: [version],
    onLog: (entry) => void seen.push(['log', entry]),
    handlers: {
      elicitForm: (request) => {
        seen.push(['form', request]);
        return { action: 'accept', content: { name: `answer ${seen.length}` } };
      },
      sample: (request) => {
        seen.push(['sample', request]);
        return { model: 'm', role: 'assistant', content: { type: 'text', text: `sampled ${seen.length}` } };
      },
      roots: () => {
        seen.push(['roots']);
        return [{ uri: `file:///${seen.length}` }];
      },
    },
  });
  const level = isSession(version) ? {} : { logLevel: 'debug' as const };
  const onProgress = (update: unknown): void => void seen.push(['progress', update]);
  const result = await client.tools
    .call('act', {}, { onProgress, ...level })
    .catch(({ code, message, data }) => ({ code, message, data }));
  await client.close();
  return [...seen, result];
}

it('the same requests, progress, log messages, results and errors, in the same order', async () => {
  const runs = fc.asyncProperty(plan, async (planned) => {
    for (const version of versions) {
      const direct = await transcript(acting(planned), version);
      for (const upstreamVersion of versions) {
        const { gateway } = startGateway({ one: { server: acting(planned), protocolVersions: [upstreamVersion] } });
        const through = await transcript(gateway.server, version);
        await gateway.close();
        expect({ version, upstreamVersion, through }).toEqual({ version, upstreamVersion, through: direct });
      }
    }
  });
  await fc.assert(runs, { numRuns: scaled(25, 150), seed: 7 });
});
