/** What 2025-11-25 changed: tasks, icons, elicitation by URL, richer forms, tools in sampling. */
import { notification, optional, request, revise } from '../../model/model.ts';
import {
  anything,
  boolean,
  either,
  integer,
  just,
  kinds,
  list,
  map,
  nothing,
  number,
  open,
  record,
  string,
  word,
} from '../../model/shape.ts';
import { model as previous } from '../2025-06-18/model.ts';

const meta = { '_meta?': 'Meta' };
const icons = { 'icons?': list('Icon') };
const task = { 'task?': 'TaskMetadata' };
const dialect = { '$schema?': string };
const labelled = { 'title?': string, 'description?': string };
const choices = { ...labelled, 'minItems?': integer, 'maxItems?': integer, 'default?': list(string) };
const titledChoices = list(record({ const: string, title: string }));
const taskFields = {
  taskId: string,
  status: 'TaskStatus',
  'statusMessage?': string,
  createdAt: string,
  lastUpdatedAt: string,
  ttl: either(integer, nothing),
  'pollInterval?': integer,
};

const taskRequests = {
  'tasks/get': request('GetTask', 'TaskRequestParams', 'GetTaskResult'),
  'tasks/result': request('GetTaskPayload', 'TaskRequestParams', 'GetTaskPayloadResult'),
  'tasks/list': request('ListTasks', optional('PaginatedRequestParams'), 'ListTasksResult'),
  'tasks/cancel': request('CancelTask', 'TaskRequestParams', 'CancelTaskResult'),
};
const taskStatus = {
  'notifications/tasks/status': notification('TaskStatus', 'TaskStatusNotificationParams'),
};

export const model = revise(previous, {
  add: {
    Icon: record({
      src: string,
      'mimeType?': string,
      'sizes?': list(string),
      'theme?': word('light', 'dark'),
    }),

    TaskStatus: word('working', 'input_required', 'completed', 'failed', 'cancelled'),
    Task: record(taskFields),
    TaskMetadata: record({ 'ttl?': integer }),
    RelatedTaskMetadata: record({ taskId: string }),
    CreateTaskResult: record({ ...meta, task: 'Task' }),
    TaskRequestParams: record({ taskId: string }),
    GetTaskResult: record({ ...meta, ...taskFields }),
    GetTaskPayloadResult: map(anything, meta),
    ListTasksResult: record({ ...meta, 'nextCursor?': string, tasks: list('Task') }),
    CancelTaskResult: record({ ...meta, ...taskFields }),
    TaskStatusNotificationParams: record({ ...meta, ...taskFields }),
    ToolExecution: record({ 'taskSupport?': word('forbidden', 'optional', 'required') }),
    ClientTaskCapabilities: record({
      'list?': open,
      'cancel?': open,
      'requests?': record({
        'sampling?': record({ 'createMessage?': open }),
        'elicitation?': record({ 'create?': open }),
      }),
    }),
    ServerTaskCapabilities: record({
      'list?': open,
      'cancel?': open,
      'requests?': record({ 'tools?': record({ 'call?': open }) }),
    }),
    CallToolAnswer: either('CallToolResult', 'CreateTaskResult'),
    CreateMessageAnswer: either('CreateMessageResult', 'CreateTaskResult'),
    ElicitAnswer: either('ElicitResult', 'CreateTaskResult'),

    ToolChoice: record({ 'mode?': word('auto', 'required', 'none') }),
    ToolUseContent: record({ ...meta, type: just('tool_use'), id: string, name: string, input: open }),
    ToolResultContent: record({
      ...meta,
      type: just('tool_result'),
      toolUseId: string,
      content: list('ContentBlock'),
      'structuredContent?': open,
      'isError?': boolean,
    }),

    UntitledSingleSelectEnumSchema: record({
      type: just('string'),
      ...labelled,
      enum: list(string),
      'default?': string,
    }),
    TitledSingleSelectEnumSchema: record({
      type: just('string'),
      ...labelled,
      oneOf: titledChoices,
      'default?': string,
    }),
    UntitledMultiSelectEnumSchema: record({
      type: just('array'),
      ...choices,
      items: record({ type: just('string'), enum: list(string) }),
    }),
    TitledMultiSelectEnumSchema: record({ type: just('array'), ...choices, items: record({ anyOf: titledChoices }) }),
    LegacyTitledEnumSchema: record({
      type: just('string'),
      ...labelled,
      enum: list(string),
      'enumNames?': list(string),
      'default?': string,
    }),
    ElicitRequestFormParams: record({
      '_meta?': 'RequestMeta',
      'mode?': just('form'),
      message: string,
      requestedSchema: 'RequestedSchema',
      ...task,
    }),
    ElicitRequestUrlParams: record({
      '_meta?': 'RequestMeta',
      mode: just('url'),
      message: string,
      url: string,
      elicitationId: string,
      ...task,
    }),
    ElicitationCompleteNotificationParams: record({ elicitationId: string }),
    UrlElicitationRequiredData: map(anything, { elicitations: list('ElicitRequestUrlParams') }),
  },
  extend: {
    CallToolRequestParams: task,
    CancelledNotificationParams: { 'requestId?': 'RequestId' },
    ClientCapabilities: { 'tasks?': 'ClientTaskCapabilities' },
    CreateMessageRequestParams: { 'tools?': list('Tool'), 'toolChoice?': 'ToolChoice', ...task },
    CreateMessageResult: { content: either('SamplingContent', list('SamplingContent')) },
    ElicitationCapability: { 'form?': open, 'url?': open },
    Implementation: { 'description?': string, 'websiteUrl?': string, ...icons },
    NumberSchema: { 'default?': number },
    Prompt: icons,
    RequestedSchema: dialect,
    Resource: icons,
    ResourceLink: icons,
    ResourceTemplate: icons,
    SamplingCapability: { 'tools?': open, 'context?': open },
    SamplingMessage: { ...meta, content: either('SamplingContent', list('SamplingContent')) },
    ServerCapabilities: { 'tasks?': 'ServerTaskCapabilities' },
    StringSchema: { 'default?': string },
    Tool: { 'execution?': 'ToolExecution', ...icons },
    ToolInputSchema: dialect,
    ToolOutputSchema: dialect,
  },
  replace: {
    ElicitRequestParams: either('ElicitRequestUrlParams', 'ElicitRequestFormParams'),
    ElicitedValue: either(string, number, boolean, list(string)),
    EnumSchema: either(
      'UntitledSingleSelectEnumSchema',
      'TitledSingleSelectEnumSchema',
      'UntitledMultiSelectEnumSchema',
      'TitledMultiSelectEnumSchema',
      'LegacyTitledEnumSchema',
    ),
    SamplingContent: kinds('TextContent', 'ImageContent', 'AudioContent', 'ToolUseContent', 'ToolResultContent'),
  },
  client: { requests: taskRequests, notifications: taskStatus },
  replaceClient: {
    requests: { 'tools/call': request('CallTool', 'CallToolRequestParams', 'CallToolAnswer') },
  },
  replaceServer: {
    requests: {
      'sampling/createMessage': request('CreateMessage', 'CreateMessageRequestParams', 'CreateMessageAnswer'),
      'elicitation/create': request('Elicit', 'ElicitRequestParams', 'ElicitAnswer'),
    },
  },
  server: {
    requests: taskRequests,
    notifications: {
      ...taskStatus,
      'notifications/elicitation/complete': notification(
        'ElicitationComplete',
        'ElicitationCompleteNotificationParams',
      ),
    },
  },
});
