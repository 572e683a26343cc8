/** The methods of every revision are those of its official schema, no more and no fewer; those of the newest also those of the official package `core`. */
import { describe, expect, it } from 'vitest';
import { revisions } from '../../../src/protocol/revisions/revisions.ts';
import { coreMethods } from './core-package.ts';
import { createOfficialSide, type MessageUnion, type OfficialSide } from './official-side.ts';
import { absence } from './specification.ts';

const sorted = (methods: Iterable<string>): string[] => [...methods].sort();

describe('the official methods', () => {
  describe.each(absence === undefined ? revisions : [])('$id', ({ id, client, server, serverRequests }) => {
    const official = (union: MessageUnion): string[] => sorted(createOfficialSide(id).messages(union).keys());

    it('are the requests a client may send', () => {
      expect(sorted(client.requests.keys())).toEqual(official('ClientRequest'));
    });

    it('are the requests a server may send', () => {
      expect(sorted(server.requests.keys())).toEqual(official('ServerRequest'));
    });

    it('are the notifications a client may send', () => {
      expect(sorted(client.notifications.keys())).toEqual(official('ClientNotification'));
    });

    it('are the notifications a server may send', () => {
      expect(sorted(server.notifications.keys())).toEqual(official('ServerNotification'));
    });

    it('are the server requests that a call may need', () => {
      expect(sorted(serverRequests)).toEqual(sorted(officialServerRequests(createOfficialSide(id))));
    });
  });

  it('of the package core are those of the two newest revisions', () => {
    const sides = revisions.slice(-2).flatMap(({ client, server }) => [client, server]);
    const ours = sides.flatMap(({ requests, notifications }) => [...requests.keys(), ...notifications.keys()]);
    expect(sorted(coreMethods)).toEqual(sorted(new Set(ours)));
  });
});

/** The input requests of a result if the schema has them, else the requests that only a server sends. */
function officialServerRequests({ definitions, messages }: OfficialSide): string[] {
  if (definitions.InputRequest !== undefined) return [...messages('InputRequest').keys()];
  const clientRequests = messages('ClientRequest');
  return [...messages('ServerRequest').keys()].filter((method) => !clientRequests.has(method));
}
