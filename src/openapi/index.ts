/** Servers made from OpenAPI documents: the operations of an HTTP API as tools. */
export type { CredentialNeed, GetAuthHeaders, GetCredential, OpenApiAuth } from './calls/credentials.ts';
export type { OpenApiDocument } from './document/document.ts';
export { loadOpenApi } from './document/load-open-api.ts';
export type { LoadOpenApiOptions } from './document/load-options.ts';
export { openapiServer } from './openapi-server.ts';
export type { NameOperation } from './operations/names.ts';
export type { ApiOperation, OmittedOperation } from './operations/operation.ts';
export type { OperationFilter } from './operations/select.ts';
export type { OpenApiOptions, OpenApiServerOptions } from './options.ts';
