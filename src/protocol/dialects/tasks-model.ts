/** The messages of the founding documents' tasks: `tasks/create` and the requests and notifications about its task. */
import { type Model, notification, optional, request } from '../model/model.ts';
import { anything, list, open, record, share, string, word } from '../model/shape.ts';

const stamps = { 'startedAt?': string, 'completedAt?': string, 'cancelledAt?': string };

export const model: Model = {
  shapes: {
    FoundingTaskStatus: word('pending', 'running', 'completed', 'failed', 'cancelled'),
    FoundingTask: record({
      taskId: string,
      status: 'FoundingTaskStatus',
      'description?': string,
      'createdAt?': string,
      ...stamps,
      'progress?': share,
      'currentStep?': string,
      'result?': anything,
      'error?': anything,
    }),
    CreateFoundingTaskParams: record({ name: string, 'description?': string, 'parameters?': open }),
    FoundingTaskParams: record({ taskId: string }),
    ListFoundingTasksParams: record({ 'cursor?': string }),
    FoundingTasks: record({ tasks: list('FoundingTask'), 'nextCursor?': string }),
    FoundingTaskProgressParams: record({ taskId: string, 'progress?': share, 'currentStep?': string }),
    FoundingTaskCompletedParams: record({
      taskId: string,
      status: 'FoundingTaskStatus',
      'result?': anything,
      'error?': anything,
      ...stamps,
    }),
    FoundingTaskFailedParams: record({
      taskId: string,
      'status?': 'FoundingTaskStatus',
      'error?': anything,
      ...stamps,
    }),
  },
  client: {
    requests: {
      'tasks/create': request('CreateFoundingTask', 'CreateFoundingTaskParams', 'FoundingTask'),
      'tasks/get': request('GetFoundingTask', 'FoundingTaskParams', 'FoundingTask'),
      'tasks/list': request('ListFoundingTasks', optional('ListFoundingTasksParams'), 'FoundingTasks'),
      'tasks/cancel': request('CancelFoundingTask', 'FoundingTaskParams', 'FoundingTask'),
    },
    notifications: {},
  },
  server: {
    requests: {},
    notifications: {
      'notifications/tasks/progress': notification('FoundingTaskProgress', 'FoundingTaskProgressParams'),
      'notifications/tasks/completed': notification('FoundingTaskCompleted', 'FoundingTaskCompletedParams'),
      'notifications/tasks/failed': notification('FoundingTaskFailed', 'FoundingTaskFailedParams'),
    },
  },
};
