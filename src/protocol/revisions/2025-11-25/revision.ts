/** 2025-11-25 as it is used at run time: errors may lack an id, and one new error requires the user to open a URL. */
import { createFitting } from '../../fitting/fitting.ts';
import { fittingRules } from '../../generated/fitting-rules.ts';
import { client, server } from '../../generated/tables/2025-11-25.ts';
import type { Revision } from '../../revision.ts';
import { sessionTasks } from '../../tasks/session-tasks.ts';
import { revision as previous } from '../2025-06-18/revision.ts';

export const revision: Revision = {
  ...previous,
  id: '2025-11-25',
  client,
  server,
  errorsHaveId: false,
  http: { ...previous.http, polling: true },
  errorNumbers: { ...previous.errorNumbers, 'url-elicitation-required': -32042 },
  fitting: createFitting(fittingRules['2025-11-25']),
  tasks: sessionTasks,
};
