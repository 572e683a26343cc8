/** `npm run site:build`: builds the site from `docs` and the declarations of the package into `site/dist`. `-- --base /v0.1/` builds it for that path. */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { inRoot, run } from './command.mjs';
import { generate, install } from './setup.mjs';
import { deadLinks } from './site/dead-links.mjs';
import { installSite } from './site/install.mjs';

async function step(name, ...args) {
  const { ok, seconds, output } = await run(process.execPath, args);
  if (!ok) throw new Error(`${output}\nsite: ${name} failed; fix what is reported above and try again`);
  console.error(`site: ${name} done in ${seconds.toFixed(1)} s`);
}

try {
  const { values } = parseArgs({ options: { base: { type: 'string', default: '/' } } });
  if (!/^\/(?:[\w.-]+\/)*$/.test(values.base)) throw new Error('site: --base begins and ends with "/", as in /v0.1/');
  await install();
  await generate();
  const reason = await installSite();
  if (reason !== undefined) throw new Error(reason);
  await step('pages', '--import', 'tsx', 'scripts/site/main.ts', values.base);
  await step('playground', inRoot('node_modules/vite/bin/vite.js'), 'build', 'apps/playground');
  rmSync(inRoot('site/dist'), { recursive: true, force: true });
  await step('build', inRoot('site/node_modules/vitepress/bin/vitepress.js'), 'build', 'site');
  const dead = deadLinks(inRoot('site/dist'), values.base);
  if (dead.length > 0) throw new Error(`${dead.join('\n')}\nsite: these links lead nowhere`);
  console.error('site: site/dist is ready');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
