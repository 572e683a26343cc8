/** What 2026-07-28 changed: no handshake, every request carries its envelope, server requests travel in results. */
import { notification, request, revise } from '../../model/model.ts';
import { anything, boolean, count, either, just, list, map, open, record, string, word } from '../../model/shape.ts';
import { model as previous } from '../2025-11-25/model.ts';

const requestMeta = { _meta: 'RequestMeta' };
const resultBasics = { '_meta?': 'ResultMeta', resultType: string };
const cacheable = { ttlMs: count, cacheScope: word('public', 'private') };
const retried = { 'inputResponses?': 'InputResponses', 'requestState?': string };
const notificationMeta = { '_meta?': 'NotificationMeta' };

export const model = revise(previous, {
  add: {
    ResultMeta: record({ 'io.modelcontextprotocol/serverInfo?': 'Implementation' }),
    NotificationMeta: record({ 'io.modelcontextprotocol/subscriptionId?': 'RequestId' }),

    DiscoverResult: record({
      ...resultBasics,
      ...cacheable,
      supportedVersions: list(string),
      capabilities: 'ServerCapabilities',
      'instructions?': string,
    }),

    SubscriptionFilter: record({
      'toolsListChanged?': boolean,
      'promptsListChanged?': boolean,
      'resourcesListChanged?': boolean,
      'resourceSubscriptions?': list(string),
    }),
    SubscriptionsListenRequestParams: record({ ...requestMeta, notifications: 'SubscriptionFilter' }),
    SubscriptionsListenResult: record({
      resultType: string,
      _meta: record({
        'io.modelcontextprotocol/serverInfo?': 'Implementation',
        'io.modelcontextprotocol/subscriptionId': 'RequestId',
      }),
    }),
    SubscriptionsAcknowledgedNotificationParams: record({ ...notificationMeta, notifications: 'SubscriptionFilter' }),

    ListRootsRequestParams: record({ '_meta?': 'Meta' }),
    SamplingInputRequest: record({ method: just('sampling/createMessage'), params: 'CreateMessageRequestParams' }),
    RootsInputRequest: record({ method: just('roots/list'), 'params?': 'ListRootsRequestParams' }),
    ElicitationInputRequest: record({ method: just('elicitation/create'), params: 'ElicitRequestParams' }),
    InputRequest: either('SamplingInputRequest', 'RootsInputRequest', 'ElicitationInputRequest'),
    InputRequests: map('InputRequest'),
    InputResponse: either('CreateMessageResult', 'ListRootsResult', 'ElicitResult'),
    InputResponses: map('InputResponse'),
    InputRequiredResult: record({ ...resultBasics, 'inputRequests?': 'InputRequests', 'requestState?': string }),

    MissingRequiredClientCapabilityData: record({ requiredCapabilities: 'ClientCapabilities' }),
    UnsupportedProtocolVersionData: record({ supported: list(string), requested: string }),
  },
  extend: {
    CallToolRequestParams: { ...requestMeta, ...retried },
    CallToolResult: { ...resultBasics, 'structuredContent?': anything },
    CancelledNotificationParams: { ...notificationMeta, requestId: 'RequestId' },
    ClientCapabilities: { 'extensions?': map(open) },
    CompleteRequestParams: requestMeta,
    CompleteResult: resultBasics,
    Completion: { values: list(string, 100) },
    GetPromptRequestParams: { ...requestMeta, ...retried },
    GetPromptResult: resultBasics,
    ListPromptsResult: { ...resultBasics, ...cacheable },
    ListResourceTemplatesResult: { ...resultBasics, ...cacheable },
    ListResourcesResult: { ...resultBasics, ...cacheable },
    ListToolsResult: { ...resultBasics, ...cacheable },
    LoggingMessageNotificationParams: notificationMeta,
    NotificationParams: notificationMeta,
    PaginatedRequestParams: requestMeta,
    ProgressNotificationParams: notificationMeta,
    ReadResourceRequestParams: { ...requestMeta, ...retried },
    ReadResourceResult: { ...resultBasics, ...cacheable },
    RequestMeta: {
      'io.modelcontextprotocol/protocolVersion': string,
      'io.modelcontextprotocol/clientCapabilities': 'ClientCapabilities',
      'io.modelcontextprotocol/clientInfo?': 'Implementation',
      'io.modelcontextprotocol/logLevel?': 'LoggingLevel',
    },
    RequestParams: requestMeta,
    ResourceUpdatedNotificationParams: notificationMeta,
    Result: resultBasics,
    ServerCapabilities: { 'extensions?': map(open) },
    ToolResultContent: { 'structuredContent?': anything },
  },
  omit: {
    CallToolRequestParams: ['task'],
    ClientCapabilities: ['tasks'],
    CreateMessageRequestParams: ['_meta', 'task'],
    ElicitRequestFormParams: ['_meta', 'task'],
    ElicitRequestUrlParams: ['_meta', 'task', 'elicitationId'],
    ElicitResult: ['_meta'],
    ListRootsResult: ['_meta'],
    RootsCapability: ['listChanged'],
    ServerCapabilities: ['tasks'],
    Tool: ['execution'],
  },
  replace: {
    ToolInputSchema: map(anything, { '$schema?': string, type: just('object') }),
    ToolOutputSchema: map(anything, { '$schema?': string }),
  },
  drop: [
    'CallToolAnswer',
    'CancelTaskResult',
    'ClientTaskCapabilities',
    'CreateMessageAnswer',
    'CreateTaskResult',
    'ElicitAnswer',
    'ElicitationCompleteNotificationParams',
    'EmptyResult',
    'GetTaskPayloadResult',
    'GetTaskResult',
    'InitializeRequestParams',
    'InitializeResult',
    'ListTasksResult',
    'RelatedTaskMetadata',
    'ServerTaskCapabilities',
    'SetLevelRequestParams',
    'SubscribeRequestParams',
    'Task',
    'TaskMetadata',
    'TaskRequestParams',
    'TaskStatus',
    'TaskStatusNotificationParams',
    'ToolExecution',
    'UnsubscribeRequestParams',
    'UrlElicitationRequiredData',
  ],
  client: {
    requests: {
      'server/discover': request('Discover', 'RequestParams', 'DiscoverResult'),
      'subscriptions/listen': request(
        'SubscriptionsListen',
        'SubscriptionsListenRequestParams',
        'SubscriptionsListenResult',
      ),
    },
  },
  replaceClient: {
    requests: {
      'tools/list': request('ListTools', 'PaginatedRequestParams', 'ListToolsResult'),
      'tools/call': request('CallTool', 'CallToolRequestParams', 'CallToolResult'),
      'resources/list': request('ListResources', 'PaginatedRequestParams', 'ListResourcesResult'),
      'resources/templates/list': request(
        'ListResourceTemplates',
        'PaginatedRequestParams',
        'ListResourceTemplatesResult',
      ),
      'prompts/list': request('ListPrompts', 'PaginatedRequestParams', 'ListPromptsResult'),
    },
  },
  dropClient: [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/get',
    'tasks/result',
    'tasks/list',
    'tasks/cancel',
    'notifications/initialized',
    'notifications/progress',
    'notifications/roots/list_changed',
    'notifications/tasks/status',
  ],
  server: {
    notifications: {
      'notifications/subscriptions/acknowledged': notification(
        'SubscriptionsAcknowledged',
        'SubscriptionsAcknowledgedNotificationParams',
      ),
    },
  },
  dropServer: [
    'ping',
    'roots/list',
    'sampling/createMessage',
    'elicitation/create',
    'tasks/get',
    'tasks/result',
    'tasks/list',
    'tasks/cancel',
    'notifications/tasks/status',
    'notifications/elicitation/complete',
  ],
});
