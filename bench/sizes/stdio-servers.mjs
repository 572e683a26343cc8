/** Weighs the smallest servers on stdio, ours and others', each bundle proved to work. */
import { firstCall } from '../minimal/first-call.mjs';
import { bundleOf, programs, writeBundle } from '../minimal/programs.mjs';

const schemaLibrary = ['zod', 'zod/*'];

/**
 * Each as `{ name, whole, start, later, withoutSchema }`: as one file; split, what is loaded at start and what later;
 * and as one file with zod left outside.
 */
export async function weighStdioServers() {
  const rows = [];
  for (const [name, file] of Object.entries(programs)) {
    const whole = await writeBundle(file);
    await firstCall(name, whole.path);
    const { path, start, later } = await writeBundle(file, { splitting: true });
    await firstCall(name, path);
    const { start: withoutSchema } = await bundleOf(file, { external: schemaLibrary });
    rows.push({ name, whole: whole.start, start, later, withoutSchema });
  }
  return rows;
}
