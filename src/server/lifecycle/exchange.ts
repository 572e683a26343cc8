/** The exchange lifecycle on the server: every request carries its client information; only subscriptions have state. */
import type { RequestMessage } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../protocol/generated/types/records.ts';
import type { Incoming, Outcome } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import { tasksExtension } from '../../protocol/tasks/extension-tasks.ts';
import type { Serving } from '../kernel/serving.ts';
import type { Change } from '../ports/change-notifications.ts';
import type { Link } from '../ports/link.ts';
import { levelFor, type Registry } from '../registry/registry.ts';
import { ExchangeJourney } from './journey.ts';
import type { OfferedRevisions } from './offered-revisions.ts';
import { type SubscriptionPorts, Subscriptions } from './subscriptions.ts';

export interface Exchanges {
  /** `by` sends the answer, and the messages that belong to the call. */
  request(message: RequestMessage, revision: Revision, call: Incoming, by: Link): void;
  changed(change: Change): void;
  /** Ends all subscriptions when the server closes: each is cancelled, then answered. */
  end(): void;
}

/** `ports`: those of an endpoint with many callers. */
export function createExchanges(serving: Serving, offered: OfferedRevisions, ports?: SubscriptionPorts): Exchanges {
  const subscriptions = new Subscriptions(serving, ports);
  return {
    request(message, revision, call, link) {
      if (call.method === 'server/discover')
        return link.settle(message, revision, discovery(serving.registry(), offered));
      const isListening = call.method === 'subscriptions/listen';
      const remember = isListening ? subscriptions.listening(message.id, revision, link) : undefined;
      new ExchangeJourney(serving, link, message, call, callerOf(revision, call, serving), remember).begin();
    },
    changed: (change) => subscriptions.changed(change),
    end: () => subscriptions.end(),
  };
}

const callerOf = (revision: Revision, { introduction }: Incoming, { registry }: Serving) => ({
  revision,
  client: introduction?.client,
  capabilities: introduction?.capabilities ?? {},
  logLevel: introduction?.logLevel && levelFor(registry(), introduction.logLevel),
});

const discovery = (
  { capabilities, hasTasks, instructions, cache }: Registry,
  { revisions }: OfferedRevisions,
): Outcome => ({
  resultType: 'complete',
  result: {
    supportedVersions: revisions.map(({ id }) => id),
    capabilities: hasTasks ? withTasks(capabilities) : capabilities,
    ...(instructions !== undefined && { instructions }),
  },
  cache,
});

const withTasks = (capabilities: ServerCapabilities): ServerCapabilities => ({
  ...capabilities,
  extensions: { ...capabilities.extensions, [tasksExtension]: {} },
});
