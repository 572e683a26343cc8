/** The memory of an idle session: the live heap after collection, before and after many sessions were opened. */
import { table, threeFigures } from '../lib/report.mjs';
import { openSessions } from './loads.mjs';
import { start, subjects } from './subjects.mjs';

const sessions = 2000;
/** Opened before the first measurement, so that it includes the compiled code. */
const before = 500;

export async function weighSessions(print) {
  const rows = [];
  for (const { name, kind, file } of subjects) {
    if (kind !== 'control' && kind !== 'everything') rows.push({ name, bytes: await weigh(name, file) });
  }
  print(`### Live heap of an idle session, ${sessions} of them`);
  print(
    table(
      ['subject', 'KiB per session'],
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
