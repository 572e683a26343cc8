/** The pages that are generated from the code, and those with tables of measured figures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkingPage, cliPage, commandsPage } from './cli-page.ts';
import { connectionPage } from './connection-page.ts';
import { errorsPage } from './errors-page.ts';
import {
  commandTable,
  comparedNote,
  comparedTable,
  conformanceLine,
  readFigures,
  speedLine,
  summaryTable,
  withLine,
  withTable,
} from './figures.ts';
import { revisionsPage } from './revisions-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Only its figures are generated. */
function readme(): string {
  const figures = readFigures(root);
  const fast = withLine(read('README.md'), '- **Fast**', speedLine(figures));
  const page = withLine(fast, '- **Conforms**', conformanceLine(figures));
  return withTable(withLine(page, 'Measured: ', comparedNote(figures)), 'Compared with others', comparedTable(figures));
}

const performance = (): string => withTable(read('docs/performance.md'), 'Summary', summaryTable(readFigures(root)));

function comparison(): string {
  const figures = readFigures(root);
  return withTable(
    withLine(read('docs/comparison.md'), 'Measured: ', comparedNote(figures)),
    'Measured',
    commandTable(figures),
  );
}

export const pages: Readonly<Record<string, () => string>> = {
  'README.md': readme,
  'docs/performance.md': performance,
  'docs/comparison.md': comparison,
  'docs/guide/cli.md': cliPage,
  'docs/guide/commands.md': commandsPage,
  'docs/guide/commands-to-check.md': checkingPage,
  'docs/connection.md': connectionPage,
  'docs/errors.md': errorsPage,
  'docs/revisions.md': revisionsPage,
};
