/** Ours: the generated checkers, bundled as the build does. They are internal: no entry of the package exports them. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { judging } from '../judging.mjs';

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('../../../src/protocol/revisions/revisions.ts', import.meta.url))],
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2023',
});
const { findRevision } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);

export function prepare(message) {
  const { [message.part]: check } = findRevision(message.revision).client.requests.get(message.method);
  return judging(check, message);
}
