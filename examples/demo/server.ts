/** The demo server: a little of everything that a server can offer. */
import { createServer } from 'tenon';
import { createNotes } from './notes.ts';
import { plan, review } from './prompts.ts';
import { asking, plain, slow } from './tools.ts';

/** Every demo server has notes of its own. */
export function createDemo() {
  const notes = createNotes();
  const server = createServer({
    name: 'demo',
    title: 'Tenon demo',
    version: '0.1.0',
    instructions: 'Add two numbers, ask for the weather, or keep notes: each note is a resource under note://.',
    tools: { ...plain, ...slow, ...asking, ...notes.tools },
    resources: notes.resources,
    templates: notes.templates,
    prompts: { plan, review },
  });
  notes.tell(server);
  return server;
}
