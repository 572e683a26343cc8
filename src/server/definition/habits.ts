/** What servers of the official SDK are used with, and what it is here. */
import { habitsOf } from '../../lib/errors/habits.ts';

const defined = (list: string, item: string): string =>
  `${list}: { … } in createServer(), and later server.update((draft) => { draft.${list}[…] = ${item}; })`;
const addTool = defined('tools', 'tool(…)');
const addResource = `${defined('resources', 'resource(…)')}; with variables it is resourceTemplates and resourceTemplate(…)`;
const addPrompt = defined('prompts', 'prompt(…)');
const notified = 'part of server.update(), which notifies clients itself';

/** The prototype of servers. */
export const serverHabits = /* @__PURE__ */ habitsOf('server', {
  registerTool: addTool,
  tool: addTool,
  registerResource: addResource,
  resource: addResource,
  registerPrompt: addPrompt,
  prompt: addPrompt,
  connect: 'serveStdio(server), serveHttp(server) or server.accept(transport)',
  close: 'close() of what serveStdio(), serveHttp() and server.accept() return',
  setRequestHandler: 'tools, resources and prompts in createServer(), and a method of your own defineExtension()',
  sendLoggingMessage: 'server.log(level, data), and ctx.log(level, data) in a handler',
  sendToolListChanged: notified,
  sendResourceListChanged: notified,
  sendPromptListChanged: notified,
});
