/** What clients of the official SDK are used with, and what it is here. */
import { habitsOf } from '../../lib/errors/habits.ts';

/** The prototype of clients. */
export const clientHabits = /* @__PURE__ */ habitsOf('client', {
  callTool: 'client.tools.call(name, args)',
  listTools: 'client.tools.list().all()',
  readResource: 'client.resources.read(uri)',
  listResources: 'client.resources.list().all()',
  listResourceTemplates: 'client.resources.listTemplates().all()',
  subscribeResource: 'client.resources.watch(uri, onChange)',
  unsubscribeResource: 'close() of what client.resources.watch() returns',
  getPrompt: 'client.prompts.get(name, args)',
  listPrompts: 'client.prompts.list().all()',
  setLoggingLevel: 'client.setLogLevel(level)',
  setRequestHandler: 'the option handlers of connect()',
  setNotificationHandler: 'onLog of connect(), onProgress of a call, and watchList() or watch() for changes',
  getServerCapabilities: 'client.capabilities',
  getServerVersion: 'client.serverInfo',
  getInstructions: 'client.instructions',
  connect: 'connect(target), which returns the client',
});
