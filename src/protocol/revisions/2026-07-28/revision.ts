/** 2026-07-28 as it is used at run time: every request stands alone, and errors have their numbers from the table. */
import { readCapabilitiesAt } from '../../dialects/tolerated.ts';
import { exchangeWire, metaKeys } from '../../exchange-wire.ts';
import { createFitting } from '../../fitting/fitting.ts';
import { fittingRules } from '../../generated/fitting-rules.ts';
import { client, server } from '../../generated/tables/2026-07-28.ts';
import type { Revision } from '../../revision.ts';
import { revision as previous } from '../2025-11-25/revision.ts';

const readEnvelope = readCapabilitiesAt(metaKeys.capabilities);

export const revision: Revision = {
  ...previous,
  id: '2026-07-28',
  lifecycle: 'exchange',
  client,
  server,
  http: { versionHeader: true, resumable: false, polling: false, routingHeaders: true },
  errorNumbers: {},
  fitting: createFitting(fittingRules['2026-07-28']),
  fixes: {
    ...previous.fixes,
    params: new Map([...client.requests.keys()].map((method) => [method, readEnvelope])),
  },
  wire: exchangeWire,
};
