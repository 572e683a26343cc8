/** `npm run docs`: writes the generated pages and the API reference. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pages } from './pages.ts';
import { writeReference } from './reference.ts';

for (const [path, page] of Object.entries(pages)) {
  writeFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), page());
}

await writeReference();
