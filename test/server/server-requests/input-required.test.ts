/** Handlers that return `inputRequired`, on which all other server requests are built. */

import { createServer, inputRequired, type Server, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allModes, everything, textOf } from '../../kit/server-request-modes.ts';
import { envelope, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';

describe.each(allModes)('A handler that returns inputRequired, $name', (mode) => {
  const made = (): Server =>
    createServer(
      {
        name: 'input',
        version: '1',
        tools: {
          it: tool({}, (_given, { inputResponses: answers, requestState: state, round }) => {
            if (round === 0) return inputRequired({ where: 'roots' }, { count: 1 });
            if (round === 1) return inputRequired({ again: 'roots' }, { count: 2, before: answers });
            return JSON.stringify([state, answers]);
          }),
        },
      },
      { alwaysReplay: mode.replay },
    );

  it('gets its state and the answers to its last input requests', async () => {
    const { client } = await connectRecorded(made(), { protocolVersions: [mode.revision], handlers: everything });
    const roots = [{ uri: 'file:///a' }];
    expect(JSON.parse(String(textOf(await client.tools.call('it'))))).toEqual([
      { count: 2, before: { where: roots } },
      { again: roots },
    ]);
  });

  it('fails if the client does not support the request', async () => {
    const { client } = await connectRecorded(made(), { protocolVersions: [mode.revision] });
    await expect(client.tools.call('it')).rejects.toMatchObject({ reason: 'missing-client-capability' });
  });
});

it('Answers to returned input requests are validated: a malformed one fails the call, an unrequested one is dropped', async () => {
  const schema = z.object({ n: z.number() });
  const server = createServer({
    name: 'input',
    version: '1',
    tools: {
      it: tool({}, (_given, { inputResponses: answers, round }) =>
        round === 0 ? inputRequired({ a: { message: 'a', schema } }) : JSON.stringify(answers),
      ),
    },
  });
  const raw = openRaw(server);
  const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const call = async (id: number, round: Json): Promise<Json> => {
    raw.send(request(id, 'tools/call', envelope({ name: 'it', ...round }, able)));
    return raw.next();
  };
  const begun = async (id: number): Promise<Json> => {
    const { requestState } = (await call(id, {})).result as Json;
    return { requestState };
  };
  const good = { action: 'accept', content: { n: 1 } };
  expect((await call(2, { ...(await begun(1)), inputResponses: { a: good, b: good } })).result).toMatchObject({
    content: [{ text: JSON.stringify({ a: good }) }],
  });
  const bad = { action: 'accept', content: { n: 'one' } };
  const state = await begun(3);
  expect((await call(4, { ...state, inputResponses: { a: bad } })).error).toMatchObject({ code: -32602 });
  // The handler did not run, so the state can still be used.
  expect((await call(5, { ...state, inputResponses: {} })).result).toMatchObject({ content: [{ text: '{}' }] });
});
