/** What a person changes in the converted server-everything: the places of the report, without what runs as a task of the SDK. */
import type { Patch } from './running-program.ts';

/** `if (clientSupports…) { … }`: a tool is listed for all clients, and its request fails where one does not support it. */
const forAllClients = [/ {4}const client\w*Capabilities = [^]*?\n {4}if \(\w+\) \{\n/, '    {\n'] as const;

const withoutCapabilities: Patch = [forAllClients];

/** By the paths of the files. Those that are not here stay as they are converted. */
export const everythingByHand: Readonly<Record<string, Patch>> = {
  'server/index.js': [
    [/^import \{ InMemoryTaskStore.*\n/m, ''],
    ['setSubscriptionHandlers, ', ''],
    [/^import \{ syncRoots \}.*\n/m, ''],
    [/ {4}\/\/ Create task store[^]*?let initializeTimeout = null;\n/, ''],
    ['    registerTools(server);\n', '    registerTools(server);\n    registerConditionalTools(server);\n'],
    [/ {4}\/\/ Set resource subscription handlers\n.*\n/, ''],
    [/ {4}\/\/ Perform post-initialization operations\n[^]*?\n {4}\};\n/, ''],
    [/ {12}\/\/ Clean up task store timers\n[^]*?clearTimeout\(initializeTimeout\);\n/, ''],
  ],
  'server/logging.js': [
    [
      /await server\.sendLoggingMessage\((messages\[.*?\]), sessionId\);/,
      'const { level, data } = $1;\n        server.log(level, data);',
    ],
  ],
  // What the server sends is delivered to those who subscribed.
  'resources/subscriptions.js': [
    [/^import .*\n/m, "import { textResourceUri } from './templates.js';\n"],
    [/^const subscriptions = .*\n/m, ''],
    [/^export const setSubscriptionHandlers = [^]*?^\};\n/m, ''],
    [
      /(const sendSimulatedResourceUpdates = .*\n)[^]*?^\};\n/m,
      '$1    for (let id = 1; id <= 10; id++) server.sendResourceUpdated(String(textResourceUri(id)));\n};\n',
    ],
  ],
  // A resource of the same URI is replaced.
  'resources/session.js': [
    [/^/, "import { resource as define } from 'tenon';\n"],
    [/^const registeredResources = .*\n/m, ''],
    ['blob: payload,', "bytes: Buffer.from(payload, 'base64'),"],
    [
      / {4}\/\/ Check if a resource[^]*?registeredResources\.set\(uri, registeredResource\);\n/,
      '    const options = { name, mimeType, description, title, annotations, icons, _meta };\n    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));\n    server.update((draft) => { draft.resources[uri] = define(given, () => [resourceContent]); });\n',
    ],
  ],
  'resources/templates.js': [
    [/^import \{ completable \}.*\n/m, ''],
    [/^import \{ z \}.*\n/m, ''],
    [/completable\(z\.string\(\)\.describe\("Type of resource to fetch"\), (\(value\) => \{[^]*?\n\})\);/, '$1;'],
    [
      /completable\(z\.string\(\)\.describe\("ID of the text resource to fetch"\), (\(value\) => \{[^]*?\n\})\);/,
      '$1;',
    ],
    [
      'return [blobResource(uri, resourceId)];',
      "const { blob, ...part } = blobResource(uri, resourceId);\n        return [{ ...part, bytes: Buffer.from(blob, 'base64') }];",
    ],
  ],
  'prompts/resource.js': [
    ['resourceType: resourceTypeCompleter,', 'resourceType: z.string().describe("Type of resource to fetch"),'],
    [
      'resourceId: resourceIdForPromptCompleter,',
      'resourceId: z.string().describe("ID of the text resource to fetch"),',
    ],
    [
      'argsSchema: z.object(promptArgsSchema),',
      'argsSchema: z.object(promptArgsSchema),\n        complete: { resourceType: resourceTypeCompleter, resourceId: resourceIdForPromptCompleter },',
    ],
  ],
  'tools/index.js': [
    [/^import .*simulate-research-query.*\n/m, ''],
    [/^import .*trigger-sampling-request-async.*\n/m, ''],
    [/^import .*trigger-elicitation-request-async.*\n/m, ''],
    [/ {4}\/\/ Task-based research tool[^]*?AsyncTool\(server\);\n.*AsyncTool\(server\);\n/, ''],
  ],
  'tools/get-roots-list.js': [
    forAllClients,
    [/^import \{ syncRoots \}.*\n/m, ''],
    ['await syncRoots(server, extra.sessionId)', "(await extra.sendRequest({ method: 'roots/list' })).roots"],
    [/clientSupportsRoots &&\n\s*/, ''],
  ],
  'tools/trigger-elicitation-request.js': withoutCapabilities,
  'tools/trigger-sampling-request.js': withoutCapabilities,
  'tools/trigger-url-elicitation.js': withoutCapabilities,
  'tools/trigger-long-running-operation.js': [['server.server.notification(', 'extra.sendNotification(']],
  'transports/stdio.js': [
    [
      / {4}\/\/ Cleanup on exit\n[^]*?\n {4}\}\);\n/,
      '    process.on("SIGINT", () => { cleanup(); process.exit(0); });\n',
    ],
  ],
};
