/** Measures the size of the smallest servers on stdio, ours and others'. Each bundle is proved to work. */
import { firstCall } from '../minimal/first-call.mjs';
import { bundleOf, programs, writeBundle } from '../minimal/programs.mjs';

const schemaLibrary = ['zod', 'zod/*'];

/**
 * Each as `{ name, whole, start, later, withoutSchema }`: one file; split into what is loaded at start and later;
 * one file without zod.
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
