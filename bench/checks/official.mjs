/** The official JSON Schemas, where they are present beside this repository, and ajv configured for them. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

const folder = new URL('../../../shared/spec/schema/', import.meta.url);

/** Undefined where the schemas are missing. */
export function officialSchema(revision) {
  const file = new URL(`${revision}.json`, folder);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

export const missing = { skipped: `the official schemas are not in ${fileURLToPath(folder)}` };

/** The first three revisions are written in draft-07, under `definitions`. */
export const keyword = (schema) => (schema.$defs === undefined ? 'definitions' : '$defs');

export function ajvFor(schema, options = {}) {
  const Class = keyword(schema) === '$defs' ? Ajv2020 : Ajv;
  const ajv = new Class({ strict: false, validateFormats: false, ...options });
  return ajv.addSchema(schema, 'mcp');
}

/** The reference of one definition for ajv. */
export const place = (schema, definition) => `mcp#/${keyword(schema)}/${definition}`;
