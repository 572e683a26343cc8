/** Code that ajv generates ahead of time for definitions of the official schema, as one ES module. */
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { ajvFor, place } from './official.mjs';

/** `definitions` are the exports. esbuild turns the `require` of ajv's few run-time functions into code. */
export async function standaloneModule(schema, definitions, { minify = false } = {}) {
  const ajv = ajvFor(schema, { code: { source: true, esm: true } });
  const names = Object.fromEntries(definitions.map((definition) => [definition, place(schema, definition)]));
  const { outputFiles } = await build({
    stdin: { contents: standaloneCode.default(ajv, names), resolveDir: import.meta.dirname },
    bundle: true,
    minify,
    format: 'esm',
    target: 'es2023',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0].text;
}
