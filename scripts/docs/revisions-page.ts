/** Generates the page of revisions from the records in the code. */
import type { Revision } from '../../src/protocol/revision.ts';
import { revisions } from '../../src/protocol/revisions/revisions.ts';
import { table } from './table.ts';

const mark = (fact: boolean): string => (fact ? 'x' : '');

const differenceRows = (): string[][] => {
  const row = (title: string, fact: (revision: Revision) => string): string[] => [title, ...revisions.map(fact)];
  return [
    row('lifecycle', ({ lifecycle }) => lifecycle),
    row('batches', ({ batches }) => mark(batches)),
    row('version header over HTTP', ({ http }) => mark(http.versionHeader)),
    row('streams can be resumed', ({ http }) => mark(http.resumable)),
    row('routing headers over HTTP', ({ http }) => mark(http.routingHeaders)),
    row('structured output must be an object', ({ fitting }) => mark(fitting.objectOutput)),
  ];
};

function messageRows(side: 'client' | 'server', kind: 'requests' | 'notifications'): string[][] {
  const methods = [...new Set(revisions.flatMap((revision) => [...revision[side][kind].keys()]))].sort();
  return methods.map((method) => [
    `\`${method}\``,
    ...revisions.map((revision) => mark(revision[side][kind].has(method))),
  ]);
}

function serverRequestRows(): string[][] {
  const methods = [...new Set(revisions.flatMap(({ serverRequests }) => [...serverRequests]))].sort();
  return methods.map((method) => [
    `\`${method}\``,
    ...revisions.map(({ serverRequests }) => mark(serverRequests.has(method))),
  ]);
}

const head = (first: string): string[] => [first, ...revisions.map(({ id }) => id)];

export const revisionsPage = (): string => `# Revisions

What each revision (protocol version) has. \`npm run docs\` generates this page from the code. A method that is not in the
table of a revision is answered with "method not found". The message types of one revision are in
\`tenon/protocol/<revision>\`, its JSON Schema in \`tenon/schema/<revision>.json\`.

## Differences

${table(head(''), differenceRows())}

## Requests a client sends

${table(head('method'), messageRows('client', 'requests'))}

## Notifications a client sends

${table(head('method'), messageRows('client', 'notifications'))}

## Requests a server sends

${table(head('method'), messageRows('server', 'requests'))}

## Server requests

In a session a server request is a JSON-RPC request. In an exchange it is part of a result, and the client sends its call again.

${table(head('method'), serverRequestRows())}

## Notifications a server sends

${table(head('method'), messageRows('server', 'notifications'))}
`;
