/** The secrets of a recipe, as its README makes them: a secret that seals, and the hash of an API key. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from 'tenon/auth';

/** Writes both files. Resolves with the headers of a caller who has the key. */
export async function writeSecrets(folder: string): Promise<{ readonly authorization: string }> {
  const { id, key, hash } = await generateApiKey();
  writeFileSync(join(folder, 'secret'), 'a long secret that all processes share\n');
  writeFileSync(join(folder, 'keys.json'), JSON.stringify([{ id, hash, subject: 'ada' }]));
  return { authorization: `Bearer ${key}` };
}
