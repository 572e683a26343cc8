/** The four tables of error codes that the founding documents give, which do not agree with each other. */
import { standardCodes } from '../../jsonrpc/errors.ts';
import type { ErrorNumbers, ErrorTexts } from '../errors.ts';

/** The tables by name: each maps error reasons to numbers. */
export const errorCodeTables = {
  digest: {
    'server-error': -32000,
    'tool-not-found': -32001,
    'invalid-resource-uri': -32002,
    'resource-not-found': -32003,
    'tool-execution-failed': -32004,
    'permission-denied': -32005,
  },
  'client-details': {
    'resource-not-found': -32001,
    'resource-not-readable': -32002,
    'tool-not-found': -32003,
    'tool-execution-failed': -32004,
    'prompt-not-found': -32005,
    'sampling-not-supported': -32006,
    'capability-not-supported': -32007,
  },
  reference: {
    'capability-not-supported': -32001,
    'resource-not-found': -32002,
    'tool-not-found': -32003,
    'prompt-not-found': -32004,
    'invalid-tool-arguments': -32005,
    timeout: -32006,
    'connection-error': -32007,
  },
  fundamentals: {
    'resource-not-found': -32001,
    'tool-execution-failed': -32002,
  },
} as const satisfies Record<string, ErrorNumbers>;

/** The name of a table of error codes. */
export type ErrorCodeTable = keyof typeof errorCodeTables;

/** Numbers of JSON-RPC that a document gives to more than JSON-RPC does: they have no name of their own when read. */
export const standardNumbers: Readonly<Partial<Record<ErrorCodeTable, ErrorNumbers>>> = {
  digest: { 'invalid-tool-arguments': standardCodes['invalid-params'] },
};

/** The messages that go with the numbers, where a document gives them. */
export const errorTextTables: Readonly<Partial<Record<ErrorCodeTable, ErrorTexts>>> = {
  reference: {
    'capability-not-supported': 'Capability not supported',
    'resource-not-found': 'Resource not found',
    'tool-not-found': 'Tool not found',
    'prompt-not-found': 'Prompt not found',
    'invalid-tool-arguments': 'Invalid tool arguments',
    timeout: 'Timeout',
    'connection-error': 'Connection error',
  },
};
