/** The options of `loadOpenApi()`, and the limit of it that no option sets. */

/**
 * The options of `loadOpenApi()`.
 * @area OpenAPI
 */
export interface LoadOpenApiOptions {
  /**
   * Follows references to other files: those in the folder of the document or below it, or of the same origin. By default
   * an operation that needs one is left out.
   * @default false
   */
  readonly externalReferences?: boolean;
  /**
   * Networks that are not public and that a URL may lead to, such as `127.0.0.0/8`.
   * @default off, none
   */
  readonly allowedNetworks?: readonly string[];
  /**
   * Bytes of a document, with the files that it refers to.
   * @default 20 Mi
   * @beyond the document is rejected
   * @code file-too-large
   */
  readonly maxDocumentBytes?: number;
  /**
   * How long one document or file may take to arrive from a URL.
   * @default 30 s
   * @whole
   * @beyond the document is rejected
   * @code timeout
   */
  readonly timeoutMs?: number;
}

/**
 * Files of one document.
 * @limit LoadOpenApiOptions.maxFiles
 * @beyond the document is rejected
 * @code invalid-openapi
 */
export const maxFiles = 100;
