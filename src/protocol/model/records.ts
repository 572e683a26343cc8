/** The neutral records: what handlers and callers hold, whichever revision carries them. No message is checked by them. */
import { newest } from '../revisions/models.ts';
import { revise } from './model.ts';
import { anything, boolean, list, map, number, open, record, type Shape, string, word } from './shape.ts';

const meta = { '_meta?': 'Meta' };
const cacheFields = ['ttlMs', 'cacheScope', 'resultType'];
const requestFields = { '_meta?': 'RequestMeta' };
const inputFields = ['inputResponses', 'requestState'];

/** The newest model without its envelope, and with what only sessions have. */
export const records = revise(newest, {
  add: {
    ClientTaskCapabilities: record({ 'list?': open, 'cancel?': open, 'requests?': open }),
    ServerTaskCapabilities: record({ 'list?': open, 'cancel?': open, 'requests?': open }),
    ToolExecution: record({ 'taskSupport?': word('forbidden', 'optional', 'required') }),
    InitializeResult: record({
      ...meta,
      protocolVersion: string,
      capabilities: 'ServerCapabilities',
      serverInfo: 'Implementation',
      'instructions?': string,
    }),
    EmptyResult: map(anything, meta),
  },
  extend: {
    CallToolRequestParams: requestFields,
    CallToolResult: meta,
    CancelledNotificationParams: meta,
    ClientCapabilities: { 'tasks?': 'ClientTaskCapabilities' },
    CompleteRequestParams: requestFields,
    CompleteResult: meta,
    CreateMessageRequestParams: requestFields,
    DiscoverResult: meta,
    ElicitRequestFormParams: requestFields,
    ElicitRequestUrlParams: { ...requestFields, 'elicitationId?': string },
    ElicitResult: meta,
    GetPromptRequestParams: requestFields,
    GetPromptResult: meta,
    ListPromptsResult: meta,
    ListResourceTemplatesResult: meta,
    ListResourcesResult: meta,
    ListRootsResult: meta,
    ListToolsResult: meta,
    LoggingMessageNotificationParams: meta,
    NotificationParams: meta,
    PaginatedRequestParams: requestFields,
    ProgressNotificationParams: meta,
    ReadResourceRequestParams: requestFields,
    ReadResourceResult: meta,
    ResourceUpdatedNotificationParams: meta,
    Result: meta,
    SubscriptionFilter: { 'taskIds?': list(string) },
    SubscriptionsAcknowledgedNotificationParams: meta,
    RootsCapability: { 'listChanged?': boolean },
    ServerCapabilities: { 'tasks?': 'ServerTaskCapabilities' },
    Tool: { 'execution?': 'ToolExecution' },
  },
  omit: {
    CallToolRequestParams: inputFields,
    CallToolResult: ['resultType'],
    CompleteResult: ['resultType'],
    DiscoverResult: cacheFields,
    GetPromptRequestParams: inputFields,
    GetPromptResult: ['resultType'],
    ListPromptsResult: cacheFields,
    ListResourceTemplatesResult: cacheFields,
    ListResourcesResult: cacheFields,
    ListToolsResult: cacheFields,
    ReadResourceRequestParams: inputFields,
    ReadResourceResult: cacheFields,
    RequestMeta: [
      'io.modelcontextprotocol/protocolVersion',
      'io.modelcontextprotocol/clientCapabilities',
      'io.modelcontextprotocol/clientInfo',
      'io.modelcontextprotocol/logLevel',
    ],
    Result: ['resultType'],
  },
  drop: ['InputRequiredResult', 'SubscriptionsListenResult', 'ResultMeta', 'NotificationMeta'],
});

const withMore = (name: string): Shape => ({ ...(records.shapes[name] as Shape & { is: 'record' }), rest: anything });

/**
 * The neutral records as types. They also have what no revision lists and every one carries: fields of one's own in
 * annotations, those of resources on a tool, and the role that prompts of the founding documents have.
 */
export const typedRecords = revise(records, {
  replace: { Annotations: withMore('Annotations'), ToolAnnotations: withMore('ToolAnnotations') },
  extend: {
    ToolAnnotations: { 'audience?': list('Role'), 'priority?': number },
    PromptMessage: { role: word('user', 'assistant', 'system') },
  },
});
