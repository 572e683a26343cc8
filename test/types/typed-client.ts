/** Types that a client infers from the type of its server: names, arguments, structured content. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { connect, createServer, prompt, resource, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import type { Transport } from 'tenon/transport';
import * as v from 'valibot';
import { z } from 'zod';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

const server = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    forecast: tool(
      {
        inputSchema: z.object({ city: z.string(), days: z.string().transform(Number).optional() }),
        outputSchema: z.object({ celsius: z.number() }),
      },
      ({ city, days }) => ({ celsius: city.length + (days ?? 0) }),
    ),
    say: tool({ inputSchema: z.object({ loud: z.boolean().default(false) }) }, ({ loud }) =>
      loud ? 'HELLO' : 'hello',
    ),
    ping: tool({}, () => 'pong'),
    ark: tool({ inputSchema: type({ n: 'number' }), outputSchema: type({ twice: 'number' }) }, ({ n }) => ({
      twice: 2 * n,
    })),
    vali: tool({ inputSchema: toStandardJsonSchema(v.object({ flag: v.boolean() })) }, ({ flag }) => String(flag)),
    plain: tool({ inputSchema: fromJsonSchema<{ q: string }>({ type: 'object' }) }, ({ q }) => q),
  },
  resources: { 'weather://stations': resource({}, () => 'stations') },
  prompts: {
    plan: prompt(
      { argsSchema: z.object({ city: z.string(), style: z.enum(['brief', 'long']).optional() }) },
      ({ city }) => city,
    ),
    hello: prompt({}, () => 'hello'),
  },
});

export async function inferred(): Promise<void> {
  const client = await connect(server);

  const { structuredContent } = await client.tools.call('forecast', { city: 'Oslo', days: '3' });
  holds<Same<typeof structuredContent, { celsius: number } | undefined>>();
  const twice = (await client.tools.call('ark', { n: 1 })).structuredContent?.twice;
  holds<Same<typeof twice, number | undefined>>();
  await client.tools.call(
    'forecast',
    { city: 'Oslo' },
    { timeoutMs: 10, task: true, onTask: ({ taskId }) => taskId.length },
  );
  await client.tools.call('say');
  await client.tools.call('say', { loud: true });
  await client.tools.call('ping');
  await client.tools.call('vali', { flag: true });
  await client.tools.call('plain', { q: 'x' });
  await client.prompts.get('plan', { city: 'Oslo', style: 'brief' });
  await client.prompts.get('hello');

  // @ts-expect-error there is no such tool
  await client.tools.call('forecasts', { city: 'Oslo' });
  // @ts-expect-error an argument is missing
  await client.tools.call('forecast', {});
  // @ts-expect-error required arguments cannot be left out
  await client.tools.call('forecast');
  // @ts-expect-error the input type of the schema is string; only the handler gets a number
  await client.tools.call('forecast', { city: 'Oslo', days: 3 });
  // @ts-expect-error there is no such argument
  await client.tools.call('forecast', { city: 'Oslo', town: 'Oslo' });
  // @ts-expect-error an argument has another type
  await client.tools.call('ark', { n: 'one' });
  // @ts-expect-error an argument has another type
  await client.tools.call('vali', { flag: 'yes' });
  // @ts-expect-error an argument has another type
  await client.tools.call('plain', { q: 1 });
  // @ts-expect-error structured content has no such field
  void (await client.tools.call('forecast', { city: 'Oslo' })).structuredContent?.fahrenheit;
  // @ts-expect-error structured content is absent if the tool failed
  void (await client.tools.call('forecast', { city: 'Oslo' })).structuredContent.celsius;
  // @ts-expect-error there is no such prompt
  await client.prompts.get('plans', { city: 'Oslo' });
  // @ts-expect-error an argument is missing
  await client.prompts.get('plan', {});
  // @ts-expect-error required arguments cannot be left out
  await client.prompts.get('plan');
  // @ts-expect-error an argument has another type
  await client.prompts.get('plan', { city: 1 });
}

export async function named(transport: Transport): Promise<void> {
  const typed = await connect<typeof server>(transport);
  const { structuredContent } = await typed.tools.call('forecast', { city: 'Oslo' });
  holds<Same<typeof structuredContent, { celsius: number } | undefined>>();
  // @ts-expect-error there is no such tool
  await typed.tools.call('forecasts', { city: 'Oslo' });

  const untyped = await connect(transport);
  const result = await untyped.tools.call('anything', { at: 'all' });
  holds<Same<typeof result.structuredContent, unknown>>();
  await untyped.tools.call('anything');
  await untyped.prompts.get('anything', { at: 'all' });
  // @ts-expect-error arguments are an object
  await untyped.tools.call('anything', 'at all');
}
