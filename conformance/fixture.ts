/** The server that the official conformance suite tests. */
import { createServer, type Server } from 'tenon';
import { serveSkills } from 'tenon/skills';
import { contentTools, notifyingTools } from './content-tools.ts';
import { inputRequiredPrompts, inputRequiredTools } from './input-required-tools.ts';
import { changingTools, probeTools } from './probe-tools.ts';
import { prompts } from './prompts.ts';
import { resources, templates } from './resources.ts';
import { serverRequestTools } from './server-request-tools.ts';
import { skillFiles } from './skill-files.ts';
import { taskTools } from './task-tools.ts';

export async function createFixture(): Promise<Server> {
  const index = await serveSkills(skillFiles);
  const changing = changingTools(() => server);
  const server: Server = createServer(
    {
      name: 'tenon-conformance',
      version: '1.0.0',
      // The suite calls the first tool without arguments.
      tools: {
        ...contentTools,
        ...notifyingTools,
        ...serverRequestTools,
        ...inputRequiredTools,
        ...probeTools,
        ...taskTools,
        ...changing,
      },
      resources,
      resourceTemplates: templates,
      prompts: { ...prompts, ...inputRequiredPrompts },
      extensions: [index],
    },
    // Tools fail here on purpose. The fixed secret lets the suite continue calls after a restart.
    { onError: () => {}, requestState: { required: false }, secrets: ['the conformance fixture has no secrets'] },
  );
  return server;
}
