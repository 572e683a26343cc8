/** What can be compared: runs, clients, and connections of captures; and the messages of each. */
import type { Row, RunInfo } from '../../../../../src/inspector/api.ts';
import { shownTime, shownValue } from '../../controls/format.ts';
import { loadRows, rowsOf } from '../../state/rows.ts';
import { known } from '../../state/store.ts';

/** A conversation, or a part of one. */
export interface Side {
  /** Such as `run r3`, `client c1` or `f1 2`. */
  readonly id: string;
  readonly group: string;
  readonly text: string;
  readonly recording: string;
  readonly has: (row: Row) => boolean;
}

const runsAtMost = 100;

/** Everything that can be chosen for a side. Read `rowChanges` to be called again. */
export const allSides = (): readonly Side[] => [...runSides(), ...clientSides(), ...captureSides()];

function runSides(): readonly Side[] {
  const runs = known.value.runs.filter(({ status, requestSeq }) => status !== 'running' && requestSeq !== undefined);
  return runs.slice(0, runsAtMost).map((run) => ({
    id: `run ${run.id}`,
    group: 'Runs',
    text: [callOf(run), run.protocolVersion, shownTime(run.startedAt)].filter(Boolean).join(' · '),
    recording: 'live',
    has: isOfRun(run),
  }));
}

function callOf({ request }: RunInfo): string {
  if (request.kind === 'tool' || request.kind === 'prompt')
    return `${request.name} ${shownValue(request.arguments, 40)}`;
  return request.kind === 'resource'
    ? request.uri
    : request.kind === 'task'
      ? `task ${request.taskId}`
      : request.method;
}

/** Requests that the page sends beside the call: they are no part of it. */
const besides = /^(?:ping|initialize|server\/discover|logging\/setLevel|subscriptions\/.*|completion\/.*|.*\/list)$/;

/** From its first request to its result, without other calls of the client at the same time. */
function isOfRun({ client, request, requestSeq = 0, responseSeq = Number.POSITIVE_INFINITY }: RunInfo): Side['has'] {
  const name = 'name' in request ? request.name : 'uri' in request ? request.uri : undefined;
  return ({ seq, kind, client: of, from, type, method = '', name: about }) => {
    if (of !== client || kind !== 'message' || seq < requestSeq || seq > responseSeq) return false;
    const isOfClient = (from === 'client') === (type === 'request') || type === 'notification';
    return !isOfClient || type === 'notification' || isSameCall(method, about, name);
  };
}

const isSameCall = (method: string, about: string | undefined, name: string | undefined): boolean =>
  !besides.test(method) && (method.startsWith('tasks/') || name === undefined || about === name);

const clientSides = (): readonly Side[] =>
  known.value.clients.map(({ id, label, protocolVersion = '' }) => ({
    id: `client ${id}`,
    group: 'Clients',
    text: `${id} ${label} ${protocolVersion}`,
    recording: 'live',
    has: ({ client, kind }) => kind === 'message' && client === id,
  }));

/** The connections of each capture that is open. */
function captureSides(): readonly Side[] {
  return known.value.recordings
    .filter(({ id }) => id !== 'live')
    .flatMap(({ id, name }) => {
      const numbers = new Set(rowsOf(id).map(({ connection }) => connection));
      // Its rows come when it is shown, or chosen here.
      if (numbers.size === 0) void loadRows(id).catch(() => undefined);
      return [...numbers].map((connection) => ({
        id: `${id} ${connection}`,
        group: name,
        text: `${name}, connection ${connection}`,
        recording: id,
        has: (row: Row) => row.kind === 'message' && row.connection === connection,
      }));
    });
}
