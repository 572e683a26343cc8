/** What an idle session weighs: the heap that lives after collection, before and after many of them were opened. */
import { table, threeFigures } from '../lib/report.mjs';
import { openSessions } from './loads.mjs';
import { start, subjects } from './subjects.mjs';

const sessions = 2000;
/** Opened before the first weighing, so that code which is compiled on the way is there by then. */
const before = 500;

export async function weighSessions(print) {
  const rows = [];
  for (const { name, kind, file } of subjects) {
    if (kind !== 'control' && kind !== 'everything') rows.push({ name, bytes: await weigh(name, file) });
  }
  print(`### Live heap of an idle session, ${sessions} of them`);
  print(
    table(
      ['subject', 'KiB a session'],
      rows.map(({ name, bytes }) => [name, threeFigures(bytes / 1024)]),
    ),
  );
  return rows;
}

async function weigh(name, file) {
  const server = await start(name, file, { sessions, tools: 2 }, ['--expose-gc']);
  try {
    await openSessions(server, before);
    const empty = await server.heap();
    await openSessions(server, sessions);
    return ((await server.heap()) - empty) / sessions;
  } finally {
    server.close();
  }
}
