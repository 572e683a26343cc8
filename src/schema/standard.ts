/** The Standard Schema and Standard JSON Schema interfaces, version 1, as types alone (see standardschema.dev). */

/** One issue that a schema library reports; a path segment is a key, or an object that holds one. */
export interface StandardIssue {
  /** What is invalid. */
  readonly message: string;
  /** Where it is, from the root of the value. */
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** The result of a library's validator: a value, or issues. */
export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** The options of a conversion to JSON Schema. */
export interface JsonSchemaRequest {
  /** The version of JSON Schema to convert to. */
  readonly target: 'draft-2020-12' | 'draft-07' | 'openapi-3.0' | (string & {});
  /** Options of the schema library. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** Converts the input and the output of a schema to JSON Schema. Either may throw where there is no conversion. */
export interface JsonSchemaTrait {
  /** Converts what may be passed to the schema. */
  readonly input: (request: JsonSchemaRequest) => Record<string, unknown>;
  /** Converts what the schema returns. */
  readonly output: (request: JsonSchemaRequest) => Record<string, unknown>;
}

interface StandardProps<In, Out> {
  readonly version: 1;
  readonly vendor: string;
  readonly types?: { readonly input: In; readonly output: Out } | undefined;
  readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>;
}

/** A schema that validates. */
export interface StandardSchema<In = unknown, Out = In> {
  /** The interface that schema libraries share. */
  readonly '~standard': StandardProps<In, Out>;
}

/** A schema that validates and converts to JSON Schema: what tools and prompts require. */
export interface Schema<In = unknown, Out = In> {
  /** The interface that schema libraries share, with conversion to JSON Schema. */
  readonly '~standard': StandardProps<In, Out> & { readonly jsonSchema: JsonSchemaTrait };
}

/** What a caller may pass to the schema. */
export type Input<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];

/** What a handler receives from the schema. */
export type Output<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];
