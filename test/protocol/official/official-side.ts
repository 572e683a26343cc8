/** The official schema of one revision: its messages by method, and a validator of values. */
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type JsonSchema, officialSchema, type SchemaDocument } from './specification.ts';

export type MessageUnion =
  | 'ClientRequest'
  | 'ServerRequest'
  | 'ClientNotification'
  | 'ServerNotification'
  | 'InputRequest';

export interface OfficialSide {
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** Resolves a reference; returns any other schema as it is. */
  resolve(schema: JsonSchema): JsonSchema;
  /** A reference to a definition. */
  reference(name: string): JsonSchema;
  /** The definitions in a union of messages, by method. */
  messages(union: MessageUnion): ReadonlyMap<string, { readonly name: string; readonly schema: JsonSchema }>;
  /** A validator for a schema, compiled once. */
  validator(schema: JsonSchema): (value: unknown) => boolean;
}

const documentId = 'official';

export function createOfficialSide(revision: string): OfficialSide {
  const document: SchemaDocument = officialSchema(revision);
  const keyword = document.$defs === undefined ? 'definitions' : '$defs';
  const definitions = document[keyword] ?? {};
  // In these drafts `format` is an annotation and validates nothing.
  const options = { strict: false, validateFormats: false, logger: false } as const;
  const ajv = document.$schema.includes('2020-12') ? new Ajv2020(options) : new Ajv(options);
  ajv.addSchema(document, documentId);
  const compiled = new Map<string, ValidateFunction>();

  const reference = (name: string): JsonSchema => ({ $ref: `#/${keyword}/${name}` });
  const nameOf = ({ $ref }: JsonSchema): string | undefined => $ref?.split('/').at(-1);

  function resolve(schema: JsonSchema): JsonSchema {
    const name = nameOf(schema);
    if (name === undefined) return schema;
    const found = definitions[name];
    if (found === undefined) throw new Error(`The official schema of ${revision} has no definition ${name}`);
    return resolve(found);
  }

  function messages(union: MessageUnion): Map<string, { name: string; schema: JsonSchema }> {
    const whole = definitions[union];
    const members = whole === undefined ? [] : (whole.anyOf ?? [whole]);
    return new Map(
      members.map((member) => {
        const schema = resolve(member);
        const method = schema.properties?.method?.const as string;
        return [method, { name: nameOf(member) ?? union, schema }];
      }),
    );
  }

  function validator(schema: JsonSchema): (value: unknown) => boolean {
    const text = JSON.stringify(schema).replaceAll('"#/', `"${documentId}#/`);
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
    compiled.set(text, validate);
    return (value) => validate(value) === true;
  }

  return { definitions, resolve, reference, messages, validator };
}
