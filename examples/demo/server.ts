/** The demo server: some of every feature that a server can offer. */
import { createServer, type ResourceDefinition, type ServerOptions } from 'tenon';
import { appResources } from './app.ts';
import { createFiles } from './files.ts';
import { kinds } from './kinds.ts';
import { createNotes } from './notes.ts';
import { plan, review } from './prompts.ts';
import { report } from './report.ts';
import { createSqlTools } from './sql/tool.ts';
import { plain, requesting, slow } from './tools.ts';

/** Every demo server has its own notes. `resources` are added to its own. */
export async function createDemo(options: ServerOptions = {}, resources: Record<string, ResourceDefinition> = {}) {
  const notes = createNotes();
  const files = await createFiles();
  const definition = {
    name: 'demo',
    title: 'Tenon demo',
    version: '1.0.0',
    instructions:
      'Add two numbers, get the weather, query a database, have a long report written, or write notes. Each note is a resource under note://, each file of a folder one under file:///.',
    tools: { ...plain, ...kinds, ...slow, ...requesting, ...report, ...notes.tools, ...createSqlTools() },
    resources: { ...notes.resources, ...files.resources, ...appResources, ...resources },
    resourceTemplates: { ...notes.templates, ...files.templates },
    prompts: { plan, review },
  };
  // Another process continues a task of one that was lost after three seconds.
  const server = createServer(definition, { tasks: { leaseMs: 3000 }, ...options });
  notes.notify(server);
  files.notify(server);
  return server;
}
