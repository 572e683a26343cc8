/** `tenon watch`: shows what changes on a server, and what it logs, until Ctrl+C. */
import type { Change } from '../../../client/api/changes.ts';
import type { Client } from '../../../client/api/client.ts';
import type { ConnectOptions, LogEntry } from '../../../client/api/options.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { LoggingLevel, SubscriptionFilter } from '../../../protocol/generated/types/records.ts';
import { isWithoutSessions } from '../../../protocol/revisions/revisions.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { printable } from '../../output/content.ts';
import { styleFor } from '../../output/style.ts';
import { withClient } from '../../target/open-client.ts';

export const run: RunCommand = (given) => {
  const events = countedEvents(given);
  const options: ConnectOptions = {
    logLevel: (given.text('level') ?? 'info') as LoggingLevel,
    onLog: events.log,
  };
  return withClient(
    given,
    async (client) => {
      await showChanges(client, given, events);
      return { result: { events: events.count() }, text: '' };
    },
    options,
  );
};

interface Events {
  changed(change: Change): void;
  log(entry: LogEntry): void;
  count(): number;
  /** Aborted after `--count` events, and by Ctrl+C. */
  readonly ended: AbortSignal;
}

function countedEvents(given: Given): Events {
  const { io } = given;
  const style = styleFor(io);
  const max = given.count('count') ?? Number.POSITIVE_INFINITY;
  const enough = new AbortController();
  let count = 0;
  function show(event: object, text: string): void {
    if (count >= max) return;
    count++;
    const at = new Date(io.now()).toISOString();
    given.emit({ at, ...event }, `${style.dim(at.slice(11, 19))} ${text}`);
    if (count === max) enough.abort();
  }
  return {
    changed: (change) => show({ event: change.type, ...change, type: undefined }, wordsOf(change, given)),
    log({ level, logger, data }) {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      const by = logger === undefined ? '' : `${printable(logger, io)}: `;
      show({ event: 'log', level, logger, data }, `${style.title(level)} ${by}${printable(text, io)}`);
    },
    count: () => count,
    ended: AbortSignal.any([enough.signal, io.signal]),
  };
}

function wordsOf(change: Change, { io }: Given): string {
  if (change.type === 'resource') return `${printable(change.uri, io)} was updated`;
  if (change.type === 'task') return `task ${printable(change.taskId, io)} has changed`;
  return `the list of ${change.type} has changed`;
}

/** Resolves when enough was shown; rejects when the server closes the connection. */
async function showChanges(client: Client, given: Given, { changed, ended }: Events): Promise<void> {
  const filter = filterFor(client, given.words);
  const watched = Object.keys(filter).length > 0;
  // In protocol versions without sessions log messages belong to a call.
  const hasLogs = client.capabilities.logging !== undefined && !isWithoutSessions(client.protocolVersion);
  if (!watched && !hasLogs)
    throw new TenonError('capability-not-supported', 'The server reports no changes and no logs.', {
      hint: 'See what it declares with tenon info --json. Logs need --protocol-version with a version that has sessions.',
    });
  const subscription = await client.subscribe(filter, { signal: given.io.signal });
  const names = [...namesOf(filter), ...(hasLogs ? ['logs'] : [])];
  given.io.err(`tenon: watching ${names.join(', ')}; Ctrl+C ends it.\n`);
  ended.addEventListener('abort', () => void subscription.close(), { once: true });
  if (ended.aborted) await subscription.close();
  for await (const change of subscription) {
    changed(change);
    if (ended.aborted) return;
  }
}

/** Every list that the server reports changes of, and the resources that were named. */
function filterFor({ capabilities }: Client, uris: readonly string[]): SubscriptionFilter {
  const { tools, prompts, resources } = capabilities;
  return {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: [...uris] }),
  };
}

const namesOf = ({
  toolsListChanged,
  promptsListChanged,
  resourcesListChanged,
  resourceSubscriptions = [],
}: SubscriptionFilter): string[] => [
  ...(toolsListChanged ? ['tools'] : []),
  ...(promptsListChanged ? ['prompts'] : []),
  ...(resourcesListChanged ? ['resources'] : []),
  ...resourceSubscriptions,
];
