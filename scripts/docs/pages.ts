/** The pages that are generated from the code. */
import { cliPage } from './cli-page.ts';
import { connectionPage } from './connection-page.ts';
import { errorsPage } from './errors-page.ts';
import { revisionsPage } from './revisions-page.ts';

export const pages: Readonly<Record<string, () => string>> = {
  'docs/guide/cli.md': cliPage,
  'docs/connection.md': connectionPage,
  'docs/errors.md': errorsPage,
  'docs/revisions.md': revisionsPage,
};
