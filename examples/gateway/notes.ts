/** A server with accounts, at an authorization server of its own: each user has their own notes. */
import { createServer, serveHttp, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { startDevAuthServer } from 'tenon/dev-auth';
import { z } from 'zod';

const notes = new Map<string, string[]>();

/** The notes of one user. */
const own = (subject = ''): string[] => {
  const found = notes.get(subject) ?? [];
  notes.set(subject, found);
  return found;
};

export async function startNotes(port: number): Promise<{ url: string; issuer: string }> {
  const auth = await startDevAuthServer({ onAnnounce: () => {}, users: { ada: {}, grace: {} } });
  const server = createServer({
    name: 'notes',
    version: '1.0.0',
    tools: {
      add: tool({ description: 'Adds a note', inputSchema: z.object({ text: z.string() }) }, ({ text }, { caller }) => {
        own(caller.principal?.subject).push(text);
        return `${caller.principal?.subject} has ${own(caller.principal?.subject).length} notes`;
      }),
      list: tool({ description: 'Lists your notes' }, (_args, { caller }) =>
        [`Notes of ${caller.principal?.subject}:`, ...own(caller.principal?.subject)].join('\n'),
      ),
    },
  });
  const resource = `http://127.0.0.1:${port}/mcp`;
  const service = await serveHttp(server, { port, authenticate: protect({ issuer: auth.issuer, resource }) });
  return { url: service.url, issuer: auth.issuer };
}
