/** One operation of a document, as the options name it and as tools are made of it. */
import type { Fields } from '../../lib/values/is.ts';

/** An operation of an API. */
export interface ApiOperation {
  /** Its `operationId`, if it has one. */
  readonly id: string | undefined;
  /** The HTTP method, in lower case. */
  readonly method: string;
  /** The path as the document has it, such as `/pets/{petId}`. */
  readonly path: string;
  /** Its tags. */
  readonly tags: readonly string[];
}

/** An operation that is not served, and why. */
export interface OmittedOperation {
  /** The operation. */
  readonly operation: ApiOperation;
  /** Why it has no tool. */
  readonly reason: string;
}

/** Methods that can be tools. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** An operation with the parts of the document that belong to it. */
export interface FoundOperation extends ApiOperation {
  readonly method: Method;
  readonly source: Fields;
  /** Those of its path first. They are references or objects. */
  readonly parameters: readonly unknown[];
  readonly servers: unknown;
  readonly security: unknown;
}

export const shownOperation = ({ method, path }: ApiOperation): string => `${method.toUpperCase()} ${path}`;
