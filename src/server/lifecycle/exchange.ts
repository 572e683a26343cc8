/** The exchange lifecycle on the server: every request carries its client information; only subscriptions have state. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestMessage } from '../../jsonrpc/message.ts';
import { mapped } from '../../lib/values/maybe-promise.ts';
import type { ServerCapabilities } from '../../protocol/generated/types/records.ts';
import type { Incoming, Outcome } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import { tasksExtension } from '../../protocol/tasks/extension-tasks.ts';
import { preparedRegistry } from '../kernel/feature-source.ts';
import type { Serving } from '../kernel/serving.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Change } from '../ports/change-notifications.ts';
import type { Link } from '../ports/link.ts';
import { sourceCaller } from '../ports/source-caller.ts';
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
      const caller = callerOf(revision, call, serving);
      if (call.method === 'server/discover') return discover(serving, offered, { link, message, call, caller });
      const isListening = call.method === 'subscriptions/listen';
      const remember = isListening ? subscriptions.listening(message.id, caller, link) : undefined;
      new ExchangeJourney(serving, link, message, call, caller, remember).begin();
    },
    changed: (change) => subscriptions.changed(change),
    end: () => subscriptions.end(),
  };
}

interface Discovery {
  readonly link: Link;
  readonly message: RequestMessage;
  readonly call: Incoming;
  readonly caller: CallerInfo;
}

/** With a source of features, once it knows the capabilities for this caller. */
function discover(serving: Serving, offered: OfferedRevisions, { link, message, call, caller }: Discovery): void {
  const { revision } = caller;
  if (serving.source === undefined) return link.settle(message, revision, discovery(serving.registry(), offered));
  void mapped(preparedRegistry(serving, serving.source, sourceCaller(link, caller), call), (registry) =>
    link.settle(message, revision, registry instanceof RpcError ? registry : discovery(registry, offered)),
  );
}

const callerOf = (revision: Revision, { introduction }: Incoming, { registry }: Serving): CallerInfo => ({
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
