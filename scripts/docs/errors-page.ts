/** Generates the page of errors from the tables in the code. */
import { connectSteps } from '../../src/lib/errors/connect-steps.ts';
import { tenonErrors } from '../../src/lib/errors/tenon-error.ts';
import { rpcErrorReasons } from '../../src/protocol/error-meanings.ts';
import { errorNumber, type RpcErrorReason, rpcError } from '../../src/protocol/errors.ts';
import { revisions } from '../../src/protocol/revisions/revisions.ts';
import { table } from './table.ts';

const yes = (fact: boolean): string => (fact ? 'yes' : 'no');

function wireRows(): string[][] {
  return (Object.keys(rpcErrorReasons) as RpcErrorReason[]).map((name) => {
    const { status, meaning, retry } = rpcErrorReasons[name];
    const numbers = revisions.map(({ errorNumbers }) => String(errorNumber(errorNumbers, rpcError(name, ''))));
    return [`\`${name}\``, ...numbers, String(status), yes(retry), meaning];
  });
}

const localRows = (): string[][] =>
  Object.entries(tenonErrors).map(([code, { meaning, retry }]) => [`\`${code}\``, yes(retry), meaning]);

const wrongField = '`field`, `reason`, and both in `details`';
const dataRows = [
  ['`method-not-found`, `capability-not-supported`, `sampling-not-supported`', '`method`'],
  ['`tool-not-found`', '`toolName`; `availableTools` if no middleware is installed'],
  ['`prompt-not-found`', '`promptName`'],
  ['`resource-not-found`', '`uri`'],
  ['`invalid-params`', wrongField],
  ['`invalid-tool-arguments`', `\`toolName\`, ${wrongField}`],
  ['`invalid-resource-uri`', `\`uri\`, ${wrongField}`],
];

export const errorsPage = (): string => `# Errors

There are two classes. A \`TenonError\` is local: match on its \`code\`, a word from the first table. An \`RpcError\` is sent as a
message: it has the numeric \`code\` of the message, and its \`reason\`, a word from the second table or \`unknown\`. Both have their
cause in \`cause\`. \`npm run docs\` generates this page from the tables in the code.

## Local: \`TenonError\`

${table(['code', 'worth a retry', 'meaning'], localRows())}

## In messages: \`RpcError\`

The code depends on the protocol version. Throw an error from a handler by its name, \`throw rpcError('resource-not-found', 'There is no such note')\`,
and the protocol version of the caller decides the code. The HTTP status is that of a response with only this error.

${table(['reason', ...revisions.map(({ id }) => id), 'HTTP', 'worth a retry', 'meaning'], wireRows())}

Several names share a code; such a code is read as its standard meaning. One exception: -32602 in answer to \`resources/read\`, with a \`uri\` in \`data\`, is \`resource-not-found\`. In sessions, \`compat.errorCodes\` selects a peer's own meaning of -32000 to
-32019 (see [dialects](dialects.md)); by default those codes are read as \`unknown\`, with the number
in \`code\`, except -32002.

### Data

${table(['error', '`data`'], dataRows)}

Names of the other side are cut to 100 characters. \`invalid-tool-arguments\` and \`invalid-resource-uri\` are sent only with a table that has a code for them: by default, wrong arguments are a result with
\`isError\`, which the model can read, and such a resource is \`resource-not-found\`.

## Errors of connecting

Errors of \`connect()\` also have \`step\`, the step of connecting that failed. \`tenon doctor\` runs the same steps one by one.

${table(
  ['step', 'what it needs'],
  Object.entries(connectSteps).map(([step, meaning]) => [`\`${step}\``, meaning]),
)}
`;
