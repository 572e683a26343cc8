/** The messages of 2024-11-05, the first revision, whole. */
import { type Model, notification, optional, request } from '../../model/model.ts';
import {
  anything,
  boolean,
  either,
  integer,
  just,
  kinds,
  list,
  map,
  number,
  open,
  record,
  share,
  string,
  word,
} from '../../model/shape.ts';

const requestMeta = { '_meta?': 'RequestMeta' };
const meta = { '_meta?': 'Meta' };
const paging = { ...meta, 'nextCursor?': string };
const annotated = { 'annotations?': 'Annotations' };
const listChanged = record({ 'listChanged?': boolean });

const ping = request('Ping', optional('RequestParams'), 'EmptyResult');
const cancelled = notification('Cancelled', 'CancelledNotificationParams');
const progress = notification('Progress', 'ProgressNotificationParams');

export const model: Model = {
  shapes: {
    // Base types
    RequestId: either(string, integer),
    ProgressToken: either(string, integer),
    Role: word('user', 'assistant'),
    Meta: open,
    RequestMeta: record({ 'progressToken?': 'ProgressToken' }),
    RequestParams: map(anything, requestMeta),
    NotificationParams: map(anything, meta),
    PaginatedRequestParams: record({ ...requestMeta, 'cursor?': string }),
    Result: map(anything, meta),
    EmptyResult: map(anything, meta),
    Annotations: record({ 'audience?': list('Role'), 'priority?': share }),

    // Initialization
    Implementation: record({ name: string, version: string }),
    RootsCapability: record({ 'listChanged?': boolean }),
    SamplingCapability: record(),
    ClientCapabilities: record({
      'experimental?': map(open),
      'roots?': 'RootsCapability',
      'sampling?': 'SamplingCapability',
    }),
    ServerCapabilities: record({
      'experimental?': map(open),
      'logging?': open,
      'prompts?': listChanged,
      'resources?': record({ 'listChanged?': boolean, 'subscribe?': boolean }),
      'tools?': listChanged,
    }),
    InitializeRequestParams: record({
      ...requestMeta,
      protocolVersion: string,
      capabilities: 'ClientCapabilities',
      clientInfo: 'Implementation',
    }),
    InitializeResult: record({
      ...meta,
      protocolVersion: string,
      capabilities: 'ServerCapabilities',
      serverInfo: 'Implementation',
      'instructions?': string,
    }),

    // Content
    TextContent: record({ type: just('text'), text: string, ...annotated }),
    ImageContent: record({ type: just('image'), data: string, mimeType: string, ...annotated }),
    EmbeddedResource: record({ type: just('resource'), resource: 'AnyResourceContents', ...annotated }),
    ContentBlock: kinds('TextContent', 'ImageContent', 'EmbeddedResource'),

    // Tools
    ToolInputSchema: record({ type: just('object'), 'properties?': map(open), 'required?': list(string) }),
    Tool: record({ name: string, 'description?': string, inputSchema: 'ToolInputSchema' }),
    ListToolsResult: record({ ...paging, tools: list('Tool') }),
    CallToolRequestParams: record({ ...requestMeta, name: string, 'arguments?': open }),
    CallToolResult: record({ ...meta, content: list('ContentBlock'), 'isError?': boolean }),

    // Resources
    Resource: record({
      uri: string,
      name: string,
      'description?': string,
      'mimeType?': string,
      'size?': integer,
      ...annotated,
    }),
    ResourceTemplate: record({
      uriTemplate: string,
      name: string,
      'description?': string,
      'mimeType?': string,
      ...annotated,
    }),
    TextResourceContents: record({ uri: string, 'mimeType?': string, text: string }),
    BlobResourceContents: record({ uri: string, 'mimeType?': string, blob: string }),
    AnyResourceContents: either('TextResourceContents', 'BlobResourceContents'),
    ListResourcesResult: record({ ...paging, resources: list('Resource') }),
    ListResourceTemplatesResult: record({ ...paging, resourceTemplates: list('ResourceTemplate') }),
    ReadResourceRequestParams: record({ ...requestMeta, uri: string }),
    ReadResourceResult: record({ ...meta, contents: list('AnyResourceContents') }),
    SubscribeRequestParams: record({ ...requestMeta, uri: string }),
    UnsubscribeRequestParams: record({ ...requestMeta, uri: string }),
    ResourceUpdatedNotificationParams: record({ ...meta, uri: string }),

    // Prompts
    PromptArgument: record({ name: string, 'description?': string, 'required?': boolean }),
    Prompt: record({ name: string, 'description?': string, 'arguments?': list('PromptArgument') }),
    PromptMessage: record({ role: 'Role', content: 'ContentBlock' }),
    ListPromptsResult: record({ ...paging, prompts: list('Prompt') }),
    GetPromptRequestParams: record({ ...requestMeta, name: string, 'arguments?': map(string) }),
    GetPromptResult: record({ ...meta, 'description?': string, messages: list('PromptMessage') }),

    // Completion
    PromptReference: record({ type: just('ref/prompt'), name: string }),
    ResourceReference: record({ type: just('ref/resource'), uri: string }),
    CompletionReference: either('PromptReference', 'ResourceReference'),
    CompletionArgument: record({ name: string, value: string }),
    CompleteRequestParams: record({ ...requestMeta, ref: 'CompletionReference', argument: 'CompletionArgument' }),
    Completion: record({ values: list(string), 'total?': integer, 'hasMore?': boolean }),
    CompleteResult: record({ ...meta, completion: 'Completion' }),

    // Logging
    LoggingLevel: word('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'),
    SetLevelRequestParams: record({ ...requestMeta, level: 'LoggingLevel' }),
    LoggingMessageNotificationParams: record({ ...meta, level: 'LoggingLevel', 'logger?': string, data: anything }),

    // Sampling and roots
    ModelHint: record({ 'name?': string }),
    ModelPreferences: record({
      'hints?': list('ModelHint'),
      'costPriority?': share,
      'speedPriority?': share,
      'intelligencePriority?': share,
    }),
    SamplingContent: kinds('TextContent', 'ImageContent'),
    SamplingMessage: record({ role: 'Role', content: 'SamplingContent' }),
    CreateMessageRequestParams: record({
      ...requestMeta,
      messages: list('SamplingMessage'),
      maxTokens: integer,
      'modelPreferences?': 'ModelPreferences',
      'systemPrompt?': string,
      'includeContext?': word('none', 'thisServer', 'allServers'),
      'temperature?': number,
      'stopSequences?': list(string),
      'metadata?': open,
    }),
    CreateMessageResult: record({
      ...meta,
      role: 'Role',
      content: 'SamplingContent',
      model: string,
      'stopReason?': string,
    }),
    Root: record({ uri: string, 'name?': string }),
    ListRootsResult: record({ ...meta, roots: list('Root') }),

    // Progress and cancellation
    ProgressNotificationParams: record({
      ...meta,
      progressToken: 'ProgressToken',
      progress: number,
      'total?': number,
    }),
    CancelledNotificationParams: record({ ...meta, requestId: 'RequestId', 'reason?': string }),
  },

  client: {
    requests: {
      initialize: request('Initialize', 'InitializeRequestParams', 'InitializeResult'),
      ping,
      'tools/list': request('ListTools', optional('PaginatedRequestParams'), 'ListToolsResult'),
      'tools/call': request('CallTool', 'CallToolRequestParams', 'CallToolResult'),
      'resources/list': request('ListResources', optional('PaginatedRequestParams'), 'ListResourcesResult'),
      'resources/templates/list': request(
        'ListResourceTemplates',
        optional('PaginatedRequestParams'),
        'ListResourceTemplatesResult',
      ),
      'resources/read': request('ReadResource', 'ReadResourceRequestParams', 'ReadResourceResult'),
      'resources/subscribe': request('Subscribe', 'SubscribeRequestParams', 'EmptyResult'),
      'resources/unsubscribe': request('Unsubscribe', 'UnsubscribeRequestParams', 'EmptyResult'),
      'prompts/list': request('ListPrompts', optional('PaginatedRequestParams'), 'ListPromptsResult'),
      'prompts/get': request('GetPrompt', 'GetPromptRequestParams', 'GetPromptResult'),
      'completion/complete': request('Complete', 'CompleteRequestParams', 'CompleteResult'),
      'logging/setLevel': request('SetLevel', 'SetLevelRequestParams', 'EmptyResult'),
    },
    notifications: {
      'notifications/initialized': notification('Initialized', optional('NotificationParams')),
      'notifications/cancelled': cancelled,
      'notifications/progress': progress,
      'notifications/roots/list_changed': notification('RootsListChanged', optional('NotificationParams')),
    },
  },

  server: {
    requests: {
      ping,
      'roots/list': request('ListRoots', optional('RequestParams'), 'ListRootsResult'),
      'sampling/createMessage': request('CreateMessage', 'CreateMessageRequestParams', 'CreateMessageResult'),
    },
    notifications: {
      'notifications/cancelled': cancelled,
      'notifications/progress': progress,
      'notifications/message': notification('LoggingMessage', 'LoggingMessageNotificationParams'),
      'notifications/tools/list_changed': notification('ToolListChanged', optional('NotificationParams')),
      'notifications/prompts/list_changed': notification('PromptListChanged', optional('NotificationParams')),
      'notifications/resources/list_changed': notification('ResourceListChanged', optional('NotificationParams')),
      'notifications/resources/updated': notification('ResourceUpdated', 'ResourceUpdatedNotificationParams'),
    },
  },
};
