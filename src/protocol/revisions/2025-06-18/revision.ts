/** 2025-06-18 as it is used at run time: it removed batches, and added the version header and elicitation. */
import { createFitting } from '../../fitting/fitting.ts';
import { fittingRules } from '../../generated/fitting-rules.ts';
import { client, server } from '../../generated/tables/2025-06-18.ts';
import type { Revision } from '../../revision.ts';
import { revision as previous } from '../2025-03-26/revision.ts';

export const revision: Revision = {
  ...previous,
  id: '2025-06-18',
  client,
  server,
  serverRequests: new Set([...previous.serverRequests, 'elicitation/create']),
  batches: false,
  http: { ...previous.http, versionHeader: true },
  fitting: createFitting(fittingRules['2025-06-18']),
};
