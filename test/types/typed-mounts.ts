/** Types of mounted servers on a client: names have the prefixes, arguments and results are unchanged. */
import { connect, createServer, prompt, tool } from 'tenon';
import { z } from 'zod';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

const text = () => 'text';
const github = createServer({
  name: 'github',
  version: '1',
  tools: {
    star: tool({ inputSchema: z.object({ repo: z.string() }), outputSchema: z.object({ stars: z.number() }) }, () => ({
      stars: 1,
    })),
  },
  prompts: { review: prompt({ argsSchema: z.object({ pr: z.string() }) }, text) },
});
const jira = createServer({ name: 'jira', version: '1', tools: { open: tool({}, text) } });
const desk = createServer({ name: 'desk', version: '1', tools: { own: tool({}, text) }, mounts: { gh: github, jira } });
const house = createServer({ name: 'house', version: '1', mounts: { desk } });

export async function mounted(): Promise<void> {
  const client = await connect(desk);
  const { structuredContent } = await client.tools.call('gh_star', { repo: 'tenon' });
  holds<Same<typeof structuredContent, { stars: number } | undefined>>();
  await client.tools.call('own');
  await client.tools.call('jira_open');
  await client.prompts.get('gh_review', { pr: '17' });
  // @ts-expect-error a mounted tool has its prefix
  await client.tools.call('star', { repo: 'tenon' });
  // @ts-expect-error the prefix is of another mount
  await client.tools.call('jira_star', { repo: 'tenon' });
  // @ts-expect-error an argument is missing
  await client.tools.call('gh_star', {});

  const outer = await connect(house);
  await outer.tools.call('desk_gh_star', { repo: 'tenon' });
  // @ts-expect-error a server without own tools has only those of its mounts
  await outer.tools.call('own');
}

// @ts-expect-error only a server can be mounted
export const wrong = createServer({ name: 'x', version: '1', mounts: { a: tool({}, text) } });
