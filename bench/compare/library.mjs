/** The library of any checkout under the names of today: older commits have other names for the same options. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { handlerOf, middlewaresWith, timeoutMs } from '../lib/middlewares.mjs';
import { card } from '../lib/tools.mjs';

/** What a commit calls the options that the benchmark sets, and where a middleware finds the context of a call. */
const today = {
  schema: 'inputSchema',
  revisions: 'protocolVersions',
  sessions: (hasSessions) => (hasSessions ? {} : false),
  contextOf: (call) => call.ctx,
};
/** Before all names changed together, in commit 3bf7cbfe. */
const older = {
  schema: 'input',
  revisions: 'revisions',
  sessions: (hasSessions) => hasSessions,
  contextOf: (call) => call.context,
};

/** An export that got its name in the same commit shows which names hold. */
export const namesOf = (library) => ('toolResult' in library ? today : older);

/** Opens `dist` of a checkout; `entry` is `node`, or `index` for what needs no Node. Nothing is added to a call. */
export async function openLibrary(root, entry = 'node') {
  const library = await import(pathToFileURL(join(root, 'dist', `${entry}.js`)).href);
  return adapt(library);
}

/** `tools` are those of `lib/tools.mjs`. */
export function adapt(library) {
  const names = namesOf(library);
  const defined = (handler, more) => (each) => [
    each.name,
    library.tool({ description: each.description, [names.schema]: each.schema, ...more }, handler(each.run)),
  ];
  const definition = (tools, handler, more) => ({
    ...card,
    tools: Object.fromEntries(tools.map(defined(handler, more))),
  });
  return {
    createServer: (tools) => library.createServer(definition(tools, (run) => run)),
    /** With middlewares, a timeout and a handler that uses the signal, as `lib/everything.mjs`. */
    createEverything: (tools) =>
      library.createServer(definition(tools, handlerOf, { timeoutMs }), {
        middleware: middlewaresWith(names.contextOf),
      }),
    serveStdio: (server) => library.serveStdio(server),
    serveHttp: (server, hasSessions) => library.serveHttp(server, { port: 0, sessions: names.sessions(hasSessions) }),
    connect: (target, revision) => library.connect(target, { [names.revisions]: [revision] }),
  };
}
