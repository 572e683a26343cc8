/** 2024-11-05 as it is used at run time. */

import { tolerated } from '../../dialects/tolerated.ts';
import { createFitting } from '../../fitting/fitting.ts';
import { fittingRules } from '../../generated/fitting-rules.ts';
import { client, server } from '../../generated/tables/2024-11-05.ts';
import type { Revision } from '../../revision.ts';
import { sessionWire } from '../../session-wire.ts';

export const revision: Revision = {
  id: '2024-11-05',
  lifecycle: 'session',
  client,
  server,
  serverRequests: new Set(['sampling/createMessage', 'roots/list']),
  batches: false,
  declaresCompletions: false,
  errorsHaveId: true,
  http: { versionHeader: false, resumable: false, polling: false, routingHeaders: false },
  errorNumbers: {
    'resource-not-found': -32002,
    'header-mismatch': -32600,
    'missing-client-capability': -32602,
    'unsupported-protocol-version': -32602,
  },
  fitting: createFitting(fittingRules['2024-11-05']),
  fixes: tolerated,
  wire: sessionWire,
};
