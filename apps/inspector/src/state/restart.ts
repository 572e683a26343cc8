/** What stays when the program was started again: clients, runs with their results, and the log. Pure. */
import type { ApiError, ClientInfo, Overview, RunInfo } from '../../../../src/inspector/api.ts';
import { fromOverview, type Known, nothingKnown } from './known.ts';

/** Why a connection or a call of the earlier process is over. */
const ended: ApiError = { code: 'process-ended', message: 'The program that held this connection has ended.' };

/** Whether a client is of an earlier process: the one that answers now does not know it. */
export const isGone = ({ error }: ClientInfo): boolean => error?.code === ended.code;

export interface CarriedOver {
  readonly known: Known;
  /** The id that each earlier client has now. */
  readonly clients: ReadonlyMap<string, string>;
  /** The id that an earlier run has now. */
  readonly runOf: (run: string) => string;
}

/** Lines of the log are numbered by the process: those from before come before all others. */
const earlierSeqs = 1e12;

/** `restarts` counts them: ids of an earlier process begin with it. */
export function carryOver(before: Known, overview: Overview, restarts: number): CarriedOver {
  const runOf = (id: string): string => (isNamed(id) ? id : `${restarts}:${id}`);
  const clients = new Map<string, string>();
  const free = [...overview.clients];
  const gone: ClientInfo[] = [];
  for (const client of before.clients) {
    const at = free.findIndex((each) => isSameTarget(each, client));
    const id = at === -1 ? runOf(client.id) : (free.splice(at, 1)[0]?.id ?? '');
    clients.set(client.id, id);
    if (at === -1) gone.push({ ...client, id, state: 'closed', error: ended, connections: [] });
  }
  const runs = before.runs.map((run) => earlierRun(run, runOf(run.id), clients.get(run.client) ?? runOf(run.client)));
  const next = fromOverview(overview, nothingKnown);
  const logs = before.logs.map((line) => ({
    ...line,
    seq: line.seq - earlierSeqs,
    client: clients.get(line.client) ?? line.client,
  }));
  const known = {
    ...next,
    clients: [...next.clients, ...gone],
    runs: [...next.runs, ...runs],
    logs: [...logs, ...next.logs],
  };
  return { known, clients, runOf };
}

/** Whether an id is of an earlier process already. */
const isNamed = (id: string): boolean => id.includes(':');

const isSameTarget = (one: ClientInfo, other: ClientInfo): boolean =>
  one.shown === other.shown && one.options.protocolVersion === other.options.protocolVersion;

/** Its messages are in another recording now. */
function earlierRun(
  { requestSeq: _request, responseSeq: _response, ...run }: RunInfo,
  id: string,
  client: string,
): RunInfo {
  return run.status === 'running' ? { ...run, id, client, status: 'failed', error: ended } : { ...run, id, client };
}
