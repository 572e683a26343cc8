/** The arguments of a tool: parameters by name, and the body under `body`. */
import { fromJsonSchema } from '../../json-schema/index.ts';
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Schema } from '../../schema/standard.ts';
import { type ReadDocument, Unusable } from '../document/document.ts';
import type { Body } from './body.ts';
import { type ConvertOptions, SchemaConverter } from './convert-schema.ts';
import type { Parameter } from './parameters.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/**
 * Shows the defaults of the API, and does not fill them in: an argument that the caller left out is not sent, or a PATCH
 * would change more than it names.
 */
export function inputSchema(
  document: ReadDocument,
  parameters: readonly Parameter[],
  body: Body | undefined,
): Schema<Arguments> {
  const written = (options: ConvertOptions): Fields =>
    objectSchema(new SchemaConverter(document, options), parameters, body);
  const shown = written({ withDefaults: true, withPatterns: true });
  const { validate } = validator(written)['~standard'];
  const show = (): Fields => shown;
  return { '~standard': { version: 1, vendor: 'tenon', validate, jsonSchema: { input: show, output: show } } };
}

/** A pattern that cannot be run safely is left to the API. */
function validator(written: (options: ConvertOptions) => Fields): Schema<Arguments> {
  try {
    return fromJsonSchema<Arguments>(written({ withDefaults: false, withPatterns: true }));
  } catch (error) {
    if (!isInvalidSchema(error)) throw error;
  }
  try {
    return fromJsonSchema<Arguments>(written({ withDefaults: false, withPatterns: false }));
  } catch (error) {
    if (isInvalidSchema(error)) throw new Unusable(messageWithoutHint(error).replace(/\.$/, ''));
    throw error;
  }
}

const isInvalidSchema = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'invalid-schema';

function objectSchema(converter: SchemaConverter, parameters: readonly Parameter[], body: Body | undefined): Fields {
  const properties = parameters.map(({ argument, schema, description }) => [
    argument,
    described(converter.convert(schema), description),
  ]);
  if (body !== undefined) properties.push(['body', described(bodySchema(converter, body), body.description)]);
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ argument }) => argument);
  if (body?.isRequired === true) required.push('body');
  const { definitions } = converter;
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(definitions !== undefined && { $defs: definitions }),
  };
}

const described = (schema: Fields | boolean, description: string): Fields | boolean => {
  if (description === '') return schema;
  return { description, ...(typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema) };
};

const base64 = { type: 'string', contentEncoding: 'base64' };

function bodySchema(converter: SchemaConverter, { kind, schema, files }: Body): Fields | boolean {
  if (kind === 'bytes') return { ...base64, description: 'The content in Base64.' };
  if (kind === 'text') return { type: 'string' };
  const converted = converter.convert(schema);
  if (kind === 'json' || files.size === 0) return converted;
  return withFiles(converted, converter.definitions, files);
}

/** Files of a multipart body are arguments in Base64. */
function withFiles(
  converted: Fields | boolean,
  definitions: Fields | undefined,
  files: ReadonlySet<string>,
): Fields | boolean {
  if (typeof converted === 'boolean') return converted;
  const name = String(converted.$ref ?? '').replace('#/$defs/', '');
  const whole = (name === '' ? converted : (definitions?.[name] ?? {})) as Fields;
  const properties = Object.entries((whole.properties ?? {}) as Record<string, Fields>);
  return {
    ...whole,
    properties: Object.fromEntries(properties.map(([key, one]) => [key, files.has(key) ? fileSchema(one) : one])),
  };
}

const fileSchema = ({ type, description }: Fields): Fields => {
  const own = type === 'array' ? { type: 'array', items: base64 } : base64;
  return { ...own, description: `${description === undefined ? '' : `${String(description)} `}The file in Base64.` };
};
