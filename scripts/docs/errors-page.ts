/** The page of errors, written from the tables in the code. */
import { localErrors } from '../../src/jsonrpc/errors.ts';
import { wireErrors } from '../../src/protocol/error-meanings.ts';
import { errorNumber, rpcError, type WireErrorName } from '../../src/protocol/errors.ts';
import { revisions } from '../../src/protocol/revisions/revisions.ts';
import { table } from './table.ts';

const yes = (fact: boolean): string => (fact ? 'yes' : 'no');

function wireRows(): string[][] {
  return (Object.keys(wireErrors) as WireErrorName[]).map((name) => {
    const { status, meaning, retry } = wireErrors[name];
    const numbers = revisions.map(({ errorNumbers }) => String(errorNumber(errorNumbers, rpcError(name, ''))));
    return [`\`${name}\``, ...numbers, String(status), yes(retry), meaning];
  });
}

const localRows = (): string[][] =>
  Object.entries(localErrors).map(([code, { meaning, retry }]) => [`\`${code}\``, yes(retry), meaning]);

export const errorsPage = (): string => `# Errors

There are two classes. \`TenonError\` stays on this side: match on its \`code\`, a word from the first table. \`RpcError\` crosses the
wire: it has the \`code\` that was on the wire, a number, and the \`reason\` which that number stands for, a word from the second
table or \`unknown\`. Both keep what caused them in \`cause\`. This page is written from the tables in the code by \`npm run docs\`.

## Local: \`TenonError\`

${table(['code', 'worth a retry', 'meaning'], localRows())}

## On the wire: \`RpcError\`

The number depends on the revision. Throw one from a handler by its name, \`throw rpcError('resource-not-found', 'There is no such note')\`,
and the revision of the caller chooses the number. The HTTP status is that of an answer which is this error alone.

${table(['reason', ...revisions.map(({ id }) => id), 'HTTP', 'worth a retry', 'meaning'], wireRows())}

Several names share a number; such a number reads back as its standard meaning. In sessions, a peer's own meaning for -32000 to
-32019 can be chosen with \`errorCodes\` (see [dialects](dialects.md)); without it those numbers read as \`unknown\`, with the number
kept, except -32002.
`;
