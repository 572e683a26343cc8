/** Sizes of our entry points, of small programs compared with those of others, and of the checkers alone. */
import { table, threeFigures } from '../lib/report.mjs';
import { bundle } from './bundle.mjs';
import { weighCheckers } from './checkers.mjs';
import { dependencies, entryFiles, peers } from './entries.mjs';
import { weighPrograms } from './programs.mjs';
import { weighStdioServers } from './stdio-servers.mjs';

export async function measure(print) {
  const entries = await weighEntries();
  const weighty = entries.filter(({ own }) => own.minified > 0);
  print('### Entry points, minified by esbuild (kB)');
  print(
    table(
      ['entry', 'gzip', 'brotli', 'minified', 'loaded later, gzip', 'with dependencies, gzip'],
      weighty.map(entryRow),
    ),
  );
  print(
    `Types alone, no code: ${entries
      .filter(({ own }) => own.minified === 0)
      .map(({ name }) => name)
      .join(', ')}`,
  );

  const programs = await weighPrograms();
  print(
    '### Smallest programs, everything bundled but the transport (kB); each bundle was run and returned the right answer',
  );
  print(table(['program', 'gzip', 'brotli', 'minified', 'loaded later, gzip'], programs.map(programRow)));

  const stdioServers = await weighStdioServers();
  print(
    '### Smallest servers on stdio, everything bundled (kB); each bundle was started and returned the right answer',
  );
  print(
    table(
      ['program', 'one file, gzip', 'minified', 'without zod, gzip', 'split: at start, gzip', 'split: later, gzip'],
      stdioServers.map(stdioRow),
    ),
  );

  const checkers = await weighCheckers();
  print('### Checkers of protocol messages alone (kB)');
  print(
    table(
      ['revision', 'Tenon gzip', 'brotli', 'minified', 'ajv standalone gzip', 'brotli', 'minified'],
      checkers.rows.map(checkerRow),
    ),
  );
  if (checkers.skipped !== undefined) print(`skipped: ajv standalone: ${checkers.skipped}`);
  return { entries, programs, stdioServers, checkers };
}

async function weighEntries() {
  const rows = [];
  for (const [name, file] of Object.entries(entryFiles)) {
    const source = `export * from ${JSON.stringify(file)};`;
    const { start, later } = await bundle(source, { external: [...dependencies, ...peers] });
    rows.push({ name, own: start, later, whole: (await bundle(source, { external: peers })).start });
  }
  return rows;
}

const kilobytes = (bytes) => (bytes === 0 ? '' : threeFigures(bytes / 1000));
const weights = ({ gzip, brotli, minified }) => [gzip, brotli, minified].map(kilobytes);

const entryRow = ({ name, own, later, whole }) => [
  `\`${name}\``,
  ...weights(own),
  kilobytes(later.gzip),
  kilobytes(whole.gzip),
];
const programRow = ({ kind, name, start, later }) => [`${kind}: ${name}`, ...weights(start), kilobytes(later.gzip)];
const stdioRow = ({ name, whole, withoutSchema, start, later }) => [
  name,
  ...[whole.gzip, whole.minified, withoutSchema.gzip, start.gzip, later.gzip].map(kilobytes),
];
const checkerRow = ({ name, ours, ajv }) => [name, ...weights(ours), ...(ajv ? weights(ajv) : ['', '', ''])];
