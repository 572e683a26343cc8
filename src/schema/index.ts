/** What servers and clients need of schemas: reading a Standard Schema, and telling what is wrong with a value. */

export type { Issue, IssueTextLimits } from './issues.ts';
export { issuesText, pathText } from './issues.ts';
export type { JsonSchemaObject, SchemaReading, SchemaSide, Validated } from './reading.ts';
export { readSchema } from './reading.ts';
export type {
  Input,
  JsonSchemaRequest,
  JsonSchemaTrait,
  Output,
  Schema,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './standard.ts';
