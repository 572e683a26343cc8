/** The page of the app as one HTML text: what `npm run build` made, or in development bundled each time it is read. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const built = new URL('page.html', import.meta.url);

export async function readPage(): Promise<string> {
  if (existsSync(built)) return readFile(built, 'utf8');
  const { bundlePage } = await import('./bundle-page.ts');
  return bundlePage();
}
