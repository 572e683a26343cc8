/** Generates the API reference: TypeDoc writes it to docs/api from the JSDoc of all entry points, and checks its links. */
import { fileURLToPath } from 'node:url';
import { Application, LogLevel, OptionDefaults } from 'typedoc';
import tsdown from '../../tsdown.config.ts';
import { known } from '../generate/options/tags.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The message types of one revision are documented by the specification; `-anywhere` and `index` repeat other entries. */
const isDocumented = (name: string): boolean =>
  !name.startsWith('protocol/') && !name.endsWith('-anywhere') && name !== 'index';

const entryPoints = Object.entries((tsdown as { entry: Record<string, string> }).entry)
  .filter(([name]) => isDocumented(name))
  .map(([, source]) => root + source);

/** Writes the pages. Rejects if a link in a comment is broken. */
export async function writeReference(): Promise<void> {
  const app = await Application.bootstrap({
    entryPoints,
    tsconfig: `${root}tsconfig.node.json`,
    name: 'Tenon',
    readme: 'none',
    // The types are checked by `npm run check`.
    skipErrorChecking: true,
    disableSources: true,
    excludeInternal: true,
    blockTags: [
      ...new Set([
        ...OptionDefaults.blockTags,
        ...Object.values(known)
          .flat()
          .map((tag) => `@${tag}` as const),
      ]),
    ],
    logLevel: LogLevel.Warn,
    // test/package/exports.test.ts checks that names are exported and documented, in less time.
    validation: { notExported: false, notDocumented: false, invalidLink: true, rewrittenLink: true },
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the sources. Run npm run check to see why.');
  app.validate(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('Fix the links that TypeDoc names above.');
  await app.generateDocs(project, `${root}docs/api`);
}
