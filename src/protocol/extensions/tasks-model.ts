/** The tasks extension (`io.modelcontextprotocol/tasks`): its additions to the newest exchange revision. */
import { notification, request, revise } from '../model/model.ts';
import { anything, count, either, just, list, map, nothing, open, record, string, word } from '../model/shape.ts';
import { newest as core } from '../revisions/models.ts';

const requestMeta = { _meta: 'RequestMeta' };
const resultBasics = { '_meta?': 'ResultMeta', resultType: string };
const taskFields = {
  taskId: string,
  status: 'TaskStatus',
  'statusMessage?': string,
  createdAt: string,
  lastUpdatedAt: string,
  ttlMs: either(count, nothing),
  'pollIntervalMs?': count,
};
const taskContent = {
  'inputRequests?': 'InputRequests',
  'result?': open,
  'error?': record({ code: { is: 'integer' }, message: string, 'data?': anything }),
};

export const model = revise(core, {
  add: {
    TaskStatus: word('working', 'input_required', 'completed', 'failed', 'cancelled'),
    CreateTaskResult: record({ '_meta?': 'ResultMeta', resultType: just('task'), ...taskFields }),
    TaskRequestParams: record({ ...requestMeta, taskId: string }),
    UpdateTaskRequestParams: record({ ...requestMeta, taskId: string, inputResponses: open }),
    GetTaskResult: record({ ...resultBasics, ...taskFields, ...taskContent }),
    TaskAcknowledgement: map(anything, resultBasics),
    TaskNotificationParams: record({ '_meta?': 'NotificationMeta', ...taskFields, ...taskContent }),
  },
  extend: { SubscriptionFilter: { 'taskIds?': list(string) } },
  client: {
    requests: {
      'tasks/get': request('GetTask', 'TaskRequestParams', 'GetTaskResult'),
      'tasks/update': request('UpdateTask', 'UpdateTaskRequestParams', 'TaskAcknowledgement'),
      'tasks/cancel': request('CancelTask', 'TaskRequestParams', 'TaskAcknowledgement'),
    },
  },
  server: {
    notifications: { 'notifications/tasks': notification('Task', 'TaskNotificationParams') },
  },
  // The same messages, with the extended filter.
  replaceClient: {
    requests: {
      'subscriptions/listen': request(
        'SubscriptionsListen',
        'SubscriptionsListenRequestParams',
        'SubscriptionsListenResult',
      ),
    },
  },
  replaceServer: {
    notifications: {
      'notifications/subscriptions/acknowledged': notification(
        'SubscriptionsAcknowledged',
        'SubscriptionsAcknowledgedNotificationParams',
      ),
    },
  },
});
