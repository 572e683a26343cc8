/** The server that the official conformance suite is run against. */
import { createServer, type Server } from 'tenon';
import { askingTools } from './asking-tools.ts';
import { contentTools, tellingTools } from './content-tools.ts';
import { changingTools, probeTools } from './probe-tools.ts';
import { prompts } from './prompts.ts';
import { resources, templates } from './resources.ts';
import { roundPrompts, roundTools } from './round-tools.ts';

export function createFixture(): Server {
  const changing = changingTools(() => server);
  const server: Server = createServer(
    {
      name: 'tenon-conformance',
      version: '1.0.0',
      // The suite calls the first tool without arguments.
      tools: { ...contentTools, ...tellingTools, ...askingTools, ...roundTools, ...probeTools, ...changing },
      resources,
      templates,
      prompts: { ...prompts, ...roundPrompts },
    },
    // Tools fail here because they are told to, and the suite may meet the server again after a restart.
    { failed: () => {}, state: { secrets: ['the conformance fixture keeps no secrets'] } },
  );
  return server;
}
