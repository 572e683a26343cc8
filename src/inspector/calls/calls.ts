/** All calls of the page by their names. */
import { protocolVersions } from '../../protocol/revisions/revisions.ts';
import type { ApiCallName } from '../api.ts';
import { InspectorError } from '../api-error.ts';
import { approvalCalls } from './approval-calls.ts';
import type { CallSpec, CallTable } from './call.ts';
import { clientCalls } from './client-calls.ts';
import { featureCalls } from './feature-calls.ts';
import { text, texts } from './field-rules.ts';
import { timelineCalls } from './timeline-calls.ts';

const overviewCall: CallTable<'overview'> = {
  overview: {
    required: {},
    run: (_, { start, clients, runs, questions, recordings, log }) => ({
      ...start,
      protocolVersions: protocolVersions.toReversed(),
      clients: clients.all.map(({ info }) => info),
      runs: runs.all,
      questions: questions.all,
      recordings: recordings.all,
      logs: log.logs(),
      seq: log.seq,
    }),
  },
};

const appCalls: CallTable<'openApp' | 'closeApp'> = {
  openApp: {
    required: { client: text, uri: text },
    optional: { privateOrigins: texts },
    run({ client, uri, privateOrigins }, { clients, apps }, { origin }) {
      if (apps === undefined) throw new InspectorError('unknown-call', 'This inspector shows no apps.');
      return apps.open(clients.get(client), uri, origin, privateOrigins);
    },
  },
  closeApp: {
    required: { app: text },
    run({ app }, { apps }) {
      apps?.close(app);
      return {};
    },
  },
};

/** `events` and the calls without a key are answered by the handler itself. */
const calls: CallTable<Exclude<ApiCallName, KeylessCall>> = {
  ...overviewCall,
  ...clientCalls,
  ...featureCalls,
  ...timelineCalls,
  ...appCalls,
  ...approvalCalls,
};

export type KeylessCall = 'enter' | 'greet' | 'resume';

/** Throws `unknown-call`. */
export function callNamed(name: string): CallSpec<ApiCallName> {
  if (Object.hasOwn(calls, name)) return calls[name as keyof typeof calls] as CallSpec<ApiCallName>;
  throw new InspectorError('unknown-call', `There is no call ${JSON.stringify(name)}.`);
}
