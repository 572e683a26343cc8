/** What a client knows of servers that its server mounts: names under their prefixes, arguments and results as they are. */
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
  // @ts-expect-error the prefix of another
  await client.tools.call('jira_star', { repo: 'tenon' });
  // @ts-expect-error an argument is missing
  await client.tools.call('gh_star', {});

  const outer = await connect(house);
  await outer.tools.call('desk_gh_star', { repo: 'tenon' });
  // @ts-expect-error a server that names no tools of its own has those of its mounts alone
  await outer.tools.call('own');
}

// @ts-expect-error what is mounted is a server
export const wrong = createServer({ name: 'x', version: '1', mounts: { a: tool({}, text) } });
