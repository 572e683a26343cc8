/** 2025-03-26 as it is used at run time: it added Streamable HTTP, batches and a capability for completions. */
import { createFitting } from '../../fitting/fitting.ts';
import { fittingRules } from '../../generated/fitting-rules.ts';
import { client, server } from '../../generated/tables/2025-03-26.ts';
import type { Revision } from '../../revision.ts';
import { revision as previous } from '../2024-11-05/revision.ts';

export const revision: Revision = {
  ...previous,
  id: '2025-03-26',
  client,
  server,
  batches: true,
  declaresCompletions: true,
  http: { ...previous.http, resumable: true },
  fitting: createFitting(fittingRules['2025-03-26']),
};
