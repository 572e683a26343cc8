/** Finds the official schemas and examples, which are not stored in the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The keywords that the official schemas use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface SchemaDocument {
  readonly $schema: string;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const folder = resolve(process.env.TENON_SPEC ?? resolve(repository, '../shared/spec'));

/** What is missing here; `undefined` if nothing is. One test reports it, and the others are left out. */
export const absence: string | undefined = existsSync(resolve(folder, 'schema'))
  ? undefined
  : `${relative(repository, folder)} is not here: the official schemas and examples are not compared (TENON_SPEC may name another folder)`;

const read = (path: string): unknown => JSON.parse(readFileSync(resolve(folder, path), 'utf8'));

export const officialSchema = (revision: string): SchemaDocument => read(`schema/${revision}.json`) as SchemaDocument;

export interface Example {
  /** The definition it is an example of. */
  readonly definition: string;
  readonly file: string;
  readonly value: unknown;
}

export function officialExamples(revision: string): Example[] {
  if (absence !== undefined) return [];
  const root = `examples/${revision}`;
  return readdirSync(resolve(folder, root)).flatMap((definition) =>
    readdirSync(resolve(folder, root, definition)).map((file) => ({
      definition,
      file,
      value: read(`${root}/${definition}/${file}`),
    })),
  );
}
