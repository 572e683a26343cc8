/** The checkers of protocol messages alone: ours compared with the code that ajv generates for the same revision. */
import { keyword, missing, officialSchema } from '../checks/official.mjs';
import { standaloneModule } from '../checks/standalone.mjs';
import { bundle, weigh } from './bundle.mjs';

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** One row per revision and one for all, each as `{ name, ours, ajv }`. `ajv` is undefined without the schemas. */
export async function weighCheckers() {
  const rows = [];
  const written = [];
  for (const revision of revisions) {
    const code = await ajvCode(revision);
    if (code !== undefined) written.push(code);
    rows.push({ name: revision, ours: await ours([revision]), ajv: code && weigh([code]) });
  }
  const complete = written.length === revisions.length;
  rows.push({ name: 'all five', ours: await ours(revisions), ajv: complete ? weigh(written) : undefined });
  return complete ? { rows } : { rows, skipped: missing.skipped };
}

async function ours(ids) {
  const lines = ids.map((id, index) => {
    const table = `'../../src/protocol/generated/tables/${id}.ts'`;
    return `export { client as client${index}, server as server${index} } from ${table};`;
  });
  return (await bundle(lines.join('\n'))).start;
}

async function ajvCode(revision) {
  const schema = officialSchema(revision);
  if (schema === undefined) return undefined;
  return { contents: Buffer.from(await standaloneModule(schema, roots(schema), { minify: true })) };
}

/** Requests, notifications and results, without their unions and envelopes. */
function roots(schema) {
  return Object.entries(schema[keyword(schema)])
    .filter(([name, { anyOf, properties }]) => {
      if (anyOf !== undefined || name.startsWith('JSONRPC')) return false;
      return properties?.method?.const !== undefined || name.endsWith('Result');
    })
    .map(([name]) => name);
}
