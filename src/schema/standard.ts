/** The Standard Schema and Standard JSON Schema interfaces, version 1, as types alone (see standardschema.dev). */

/** One complaint of a schema library; a path segment is a key, or an object that holds one. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** What a library's validator answers: a value, or issues. */
export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** What the JSON Schema trait is asked for. */
export interface JsonSchemaRequest {
  readonly target: 'draft-2020-12' | 'draft-07' | 'openapi-3.0' | (string & {});
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** The JSON Schema trait: what the schema takes and what it gives. Either may throw where there is no conversion. */
export interface JsonSchemaTrait {
  readonly input: (request: JsonSchemaRequest) => Record<string, unknown>;
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
  readonly '~standard': StandardProps<In, Out>;
}

/** A schema that validates and can show itself as JSON Schema: what tools and prompts take. */
export interface Schema<In = unknown, Out = In> {
  readonly '~standard': StandardProps<In, Out> & { readonly jsonSchema: JsonSchemaTrait };
}

/** What a caller may pass to the schema. */
export type Input<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input'];

/** What a handler receives from the schema. */
export type Output<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];
