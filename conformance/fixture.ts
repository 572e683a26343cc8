/** The server that the official conformance suite is run against. */
import { createServer, type Server } from 'tenon';
import { serveSkills } from 'tenon/skills';
import { requestingTools } from './asking-tools.ts';
import { contentTools, notifyingTools } from './content-tools.ts';
import { changingTools, probeTools } from './probe-tools.ts';
import { prompts } from './prompts.ts';
import { resources, templates } from './resources.ts';
import { roundPrompts, roundTools } from './round-tools.ts';
import { skillFiles } from './skill-files.ts';

export async function createFixture(): Promise<Server> {
  const index = await serveSkills(skillFiles);
  const changing = changingTools(() => server);
  const server: Server = createServer(
    {
      name: 'tenon-conformance',
      version: '1.0.0',
      // The suite calls the first tool without arguments.
      tools: { ...contentTools, ...notifyingTools, ...requestingTools, ...roundTools, ...probeTools, ...changing },
      resources,
      resourceTemplates: templates,
      prompts: { ...prompts, ...roundPrompts },
      extensions: [index],
    },
    // Tools fail here because they are told to, and the suite may meet the server again after a restart.
    { onError: () => {}, requestState: { required: false }, secrets: ['the conformance fixture keeps no secrets'] },
  );
  return server;
}
