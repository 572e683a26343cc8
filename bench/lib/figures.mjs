/** Writes the figures of README.md and of the site to docs/figures.json: no page has one that is typed by hand. */
import { readFileSync, writeFileSync } from 'node:fs';
import { lifecycles } from './lifecycles.mjs';

const file = new URL('../../docs/figures.json', import.meta.url);
const session = lifecycles.session.revision;
const exchange = lifecycles.exchange.revision;

/** The subjects of the tables, by their names in the results. Programs have the schema library behind theirs. */
const columns = {
  Tenon: /^tenon(?:, zod)?$/i,
  tmcp: /^tmcp(?:, zod)?$/,
  'SDK v1': /^official SDK v1(?:, zod)?$/,
  'SDK v2': /^official SDK v2(?:, zod)?$/,
  fastmcp: /^fastmcp(?:, zod)?$/,
};

/** Percent of the processor time that the bare program takes for the same, seen from its side. */
const share = (yardstick) => (row) => 100 / row.timeOf[yardstick].median;

/** The figures of each topic: which rows of its result, and which number of a row. */
const topics = {
  stdio: (loads) => {
    const rows = (title, revision) => loads.find((load) => load.title === title && load.revision === revision)?.rows;
    const figure = (id, title, load, revision) => [
      id,
      `${title}, ${revision}`,
      rows(load, revision),
      share('bare loop'),
    ];
    return [
      figure('stdio-small-session', 'small call over stdio', 'small call', session),
      figure('stdio-small-exchange', 'small call over stdio', 'small call', exchange),
      figure('stdio-large-session', '1 MB over stdio', '1 MB echoed', session),
      [
        'stdio-everything-session',
        `stdio with everything on, ${session}`,
        rows('small call with trace context', session)
          ?.filter(({ name }) => name === 'tenon, everything on')
          .map((row) => ({ ...row, name: 'tenon' })),
        share('bare loop'),
      ],
    ];
  },
  http: ({ loads, idle }) => {
    const rows = (title, revision) => loads.find((load) => load.title === title && load.revision === revision)?.rows;
    const bare = share('bare node:http');
    return [
      ['http-call-exchange', `call over HTTP, ${exchange}`, rows('tools/call', exchange), bare],
      [
        'http-call-sessions',
        `call over HTTP, ${session}, 200 sessions`,
        rows('tools/call, 200 sessions', session),
        bare,
      ],
      ['http-idle-session', 'idle session over HTTP, KiB of heap', idle, ({ bytes }) => bytes / 1024],
    ];
  },
  client: (results) => {
    const calls = results.find(({ title }) => title.startsWith(session))?.calls;
    return [['client-call-session', `client over HTTP, ${session}, share`, calls, share('bare node:http agent')]];
  },
  'in-process': ({ calls }) => {
    const one = calls.find(({ revision, inFlight }) => revision === session && inFlight === 1);
    return [['in-process-call-session', `call in process, ${session}, one at once`, one?.rows, share('bare function')]];
  },
  start: (ways) => {
    const rows = (title) => ways.find((way) => way.title === title)?.rows;
    const times = ({ rateOf }) => 1 / rateOf['bare server'].median;
    const byHand = rows('bundled, split')
      ?.filter(({ name }) => name === 'Tenon, schema by hand')
      .map((row) => ({ ...row, name: 'tenon' }));
    return [
      ['start-by-hand', 'cold start, schema by hand, times bare', byHand, times],
      ['start-unbundled', 'start to first answer, zod, not bundled, times bare', rows('not bundled'), times],
      ['start-bundled', 'the same, bundled in one file', rows('bundled into one file'), times],
    ];
  },
  sizes: ({ stdioServers }) => [
    ['size-stdio', 'smallest server on stdio with zod, gzip, kB', stdioServers, ({ whole }) => whole.gzip / 1000],
    ['size-stdio-split', 'the same, split: at start', stdioServers, ({ start }) => start.gzip / 1000],
    [
      'size-own-code',
      'own code of a minimal server, gzip, kB',
      stdioServers.filter(({ name }) => name === 'Tenon, schema by hand').map((row) => ({ ...row, name: 'tenon' })),
      ({ start }) => start.gzip / 1000,
    ],
  ],
};

/** The figures of a topic as `{ id: { title, values } }`; a topic without any has none. */
export function figuresOf(topic, result) {
  const figures = topics[topic]?.(result) ?? [];
  return Object.fromEntries(
    figures
      .filter(([, , rows]) => rows !== undefined)
      .map(([id, title, rows, number]) => [id, { title, values: valuesOf(rows, number) }]),
  );
}

function valuesOf(rows, number) {
  const found = Object.entries(columns).flatMap(([column, name]) => {
    const row = rows.find((each) => name.test(each.name));
    return row === undefined ? [] : [[column, Number(number(row).toPrecision(3))]];
  });
  return Object.fromEntries(found);
}

/** The libraries beside this one that pages name. */
const named = ['tmcp', '@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'fastmcp', 'zod'];

/** Replaces the figures of the topic in the file. */
export function writeFigures(topic, { date, node, system, cores, versions }, result) {
  const figures = figuresOf(topic, result);
  if (Object.keys(figures).length === 0) return;
  const all = JSON.parse(readFileSync(file, 'utf8'));
  const beside = Object.fromEntries(named.map((name) => [name, versions[name]]));
  const kind = system.split(' ').filter((word) => !/\d+\.\d+/.test(word));
  all.bench[topic] = { date: date.slice(0, 10), node, system: kind.join(' '), cores, versions: beside, figures };
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
}
