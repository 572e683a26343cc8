/** Notes of the demo: each is a resource, a tool writes them, and subscribed clients are notified. */
import { resource, resourceTemplate, type Server, tool } from 'tenon';
import { z } from 'zod';

const noteUri = (name: string): string => `note://${name}`;
const name = z.string().regex(/^[a-z0-9-]{1,40}$/);

export function createNotes() {
  const texts = new Map([
    ['welcome', 'Write a note with the tool "write", and read it again as a resource.'],
    ['stations', 'Oslo, Bergen, Berlin, Lisbon'],
  ]);
  let server: Pick<Server, 'update' | 'sendResourceUpdated'> | undefined;

  const asResource = (note: string) =>
    resource({ name: note, title: `Note: ${note}`, mimeType: 'text/plain' }, () => texts.get(note) ?? '');

  return {
    /** Sets the server to notify of changes. */
    notify(to: Pick<Server, 'update' | 'sendResourceUpdated'>): void {
      server = to;
    },
    tools: {
      write: tool(
        {
          title: 'Write a note',
          description: 'Writes or replaces a note',
          inputSchema: z.object({ name, text: z.string().max(10_000) }),
        },
        ({ name: note, text }) => {
          if (texts.size >= 1000 && !texts.has(note)) throw new Error('There are 1000 notes already');
          const isNew = !texts.has(note);
          texts.set(note, text);
          if (isNew) server?.update(({ resources }) => (resources[noteUri(note)] = asResource(note)));
          else server?.sendResourceUpdated(noteUri(note));
          return `Wrote ${noteUri(note)}`;
        },
      ),
    },
    resources: Object.fromEntries([...texts.keys()].map((note) => [noteUri(note), asResource(note)])),
    templates: {
      'note://{name}/upper': resourceTemplate(
        {
          title: 'A note in capitals',
          mimeType: 'text/plain',
          complete: { name: (typed) => [...texts.keys()].filter((note) => note.startsWith(typed)) },
        },
        ({ name: note }) => texts.get(note ?? '')?.toUpperCase(),
      ),
    },
  };
}
