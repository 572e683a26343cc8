/** The server that the official conformance suite is run against. */
import { createServer, type Server } from 'tenon';
import { serveSkills } from 'tenon/skills';
import { askingTools } from './asking-tools.ts';
import { contentTools, tellingTools } from './content-tools.ts';
import { changingTools, probeTools } from './probe-tools.ts';
import { prompts } from './prompts.ts';
import { resources, templates } from './resources.ts';
import { roundPrompts, roundTools } from './round-tools.ts';
import { skillFiles } from './skill-files.ts';

export async function createFixture(): Promise<Server> {
  const shelf = await serveSkills(skillFiles);
  const changing = changingTools(() => server);
  const server: Server = createServer(
    {
      name: 'tenon-conformance',
      version: '1.0.0',
      // The suite calls the first tool without arguments.
      tools: { ...contentTools, ...tellingTools, ...askingTools, ...roundTools, ...probeTools, ...changing },
      resources,
      resourceTemplates: templates,
      prompts: { ...prompts, ...roundPrompts },
      extensions: [shelf],
    },
    // Tools fail here because they are told to, and the suite may meet the server again after a restart.
    { onError: () => {}, requestState: { required: false }, secrets: ['the conformance fixture keeps no secrets'] },
  );
  return server;
}
