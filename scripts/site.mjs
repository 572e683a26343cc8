/** `npm run site`: builds the site if there is none, and serves it at http://127.0.0.1:4173/. `-- --port 8080` takes another port. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { inRoot, run } from './command.mjs';
import { serveFolder } from './site/serve.mjs';

try {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '4173' } } });
  if (!existsSync(inRoot('site/dist/index.html'))) {
    const { ok } = await run(process.execPath, [inRoot('scripts/site-build.mjs')], { output: 'stderr' });
    if (!ok) throw new Error('site: there is nothing to serve');
  }
  const { url } = await serveFolder(inRoot('site/dist'), Number(values.port));
  console.log(`ready ${url} (npm run site:build builds it again)`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
