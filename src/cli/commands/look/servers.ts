/** `tenon servers`: connects to all configured servers at once, and shows how each of them is. */
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { showProgress } from '../../output/progress.ts';
import { styleFor } from '../../output/style.ts';
import { oneLine, textTable } from '../../output/table.ts';
import { configuredServers, distinctServers, type FoundServer, targetName } from '../../target/configured-servers.ts';
import { failure, type Health, healthOf } from '../../target/server-health.ts';
import { checkVariables } from '../../target/variable-consent.ts';

/**
 * Servers that `tenon servers` connects to at once.
 * @limit command line
 * @beyond the others wait
 */
const maxAtOnce = 16;

/**
 * Time of one server in `tenon servers`.
 * @limit command line
 * @option --timeout
 * @default 10 s
 * @beyond its status is failed
 * @code timeout
 */
const usualSeconds = 10;

interface ServerEntry extends Health {
  /** What can be typed as a target. */
  readonly name: string;
  readonly client: string;
  readonly file: string;
}

export const run: RunCommand = async (given) => {
  const { io } = given;
  const found = distinctServers(await configuredServers(io, given.text('config')));
  if (found.length === 0) return { result: [], text: 'No servers were found in configuration files.' };
  const progress = showProgress(io, 'servers');
  const entries: ServerEntry[] = [];
  let next = 0;
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < found.length; at = next++) {
      const one = found[at] as FoundServer;
      const { client, path } = one.file;
      const name = nameOf(one, found);
      entries[at] = { name, client, file: path, ...(await allowedHealth(one, name, given)) };
      progress.report({ progress: ++done, total: found.length });
    }
  };
  await Promise.all(Array.from({ length: maxAtOnce }, worker)).finally(() => progress.end());
  return { result: entries, text: shown(entries, given), exit: entries.every(isOk) ? 0 : 1 };
};

const isOk = ({ status }: Health): boolean => status === 'ok';

/** A file of a project must not send a variable to a server that the user has not allowed it for. */
async function allowedHealth(one: FoundServer, name: string, given: Given): Promise<Health> {
  try {
    await checkVariables(given, one);
  } catch (error) {
    return { ...failure(error), status: 'blocked', ms: 0 };
  }
  return healthOf(one, name, given.io, (given.number('timeout') ?? usualSeconds) * 1000);
}

/** Its name, with the client if another file has a server of this name. */
const nameOf = (one: FoundServer, all: readonly FoundServer[]): string =>
  all.some((other) => other !== one && other.server === one.server) ? targetName(one) : one.server;

const marks = { ok: '✓', 'sign-in': '!', blocked: '!', failed: '✗' } as const;

function shown(entries: readonly ServerEntry[], { io }: Given): string {
  const style = styleFor(io);
  const rows = entries.map((entry) => [
    (isOk(entry) ? style.good : style.bad)(marks[entry.status]),
    style.title(entry.name),
    entry.status,
    entry.status === 'blocked' ? '' : `${entry.ms} ms`,
    detailOf(entry),
  ]);
  const wrong = entries.find(({ status }) => status === 'failed');
  const hint = wrong === undefined ? [] : ['', `Find out why: tenon doctor ${wrong.name}`];
  return [textTable(rows, io.columns), ...hint].join('\n');
}

function detailOf({ protocolVersion, serverInfo, error }: ServerEntry): string {
  if (error !== undefined) return oneLine([error.message, error.hint ?? ''].join(' '));
  return [protocolVersion, serverInfo?.name, serverInfo?.version].filter(Boolean).join(' ');
}
