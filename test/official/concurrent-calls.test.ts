/** Calls that ask at once: each handler runs once, and each question reaches the client of its call. */
import { describe, expect, it } from 'vitest';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { type Client, connect, type ProtocolVersion, serveHttp } from '../../src/node/index.ts';
import { fromOfficial as fromOfficialAnywhere } from '../../src/official/index.ts';
import { newLedger, sdks } from './servers.ts';

const clients = 8;
const callsEach = 25;
const bearer = /^Bearer (\w+)$/;

describe.each(sdks)('200 asking calls at once through a server of %s', (_sdk, create) => {
  it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as ProtocolVersion[])(
    'run once each, and each answer is of its own client, in %s',
    async (version) => {
      const ledger = newLedger();
      const server = await fromOfficial(() => create(ledger));
      const service = await serveHttp(server, {
        port: 0,
        authenticate: ({ header }) => bearer.exec(header('authorization') ?? '')?.[1],
      });
      const users = await Promise.all(
        Array.from({ length: clients }, (_, n) =>
          connect(
            { url: service.url, headers: { authorization: `Bearer user${n}` } },
            {
              protocolVersions: [version],
              handlers: {
                elicitForm: ({ message }) => ({ action: 'accept', content: { answer: `user${n} says ${message}` } }),
              },
            },
          ),
        ),
      );
      const calls = users.flatMap((client, n) =>
        Array.from({ length: callsEach }, async (_, m) => {
          const question = `q${n}.${m}`;
          const result = await client.tools.call('ask', { question });
          expect(result.content).toMatchObject([{ text: `${question}: accept user${n} says ${question}` }]);
          return question;
        }),
      );
      const questions = await Promise.all(calls);
      expect(ledger.begun.toSorted()).toEqual(questions.toSorted());
      for (const client of users) await client.close();
      await service.close();
    },
  );
});

describe.each(sdks)('Requests of %s that name no call', (_sdk, create) => {
  it('reach the client of their session where the platform does not know their call, and are refused without one', async () => {
    const ledger = newLedger();
    const dropped: string[] = [];
    const server = await fromOfficialAnywhere(() => create(ledger), {
      onDropped: ({ method }) => dropped.push(method),
    });
    const open = (version: ProtocolVersion) =>
      connect(server as never, {
        protocolVersions: [version],
        handlers: { elicitForm: ({ message }) => ({ action: 'accept', content: { answer: message } }) },
      });
    const both = (client: Client) =>
      Promise.all(['a', 'b'].map((question) => client.tools.call('ask-twice', { question })));
    const inSession = await open('2025-11-25');
    const texts = (await both(inSession)).map(({ content }) => content);
    expect(texts).toMatchObject([[{ text: 'a 1, a 2' }], [{ text: 'b 1, b 2' }]]);
    const alone = await open('2026-07-28');
    const single = await alone.tools.call('ask-twice', { question: 'one' });
    expect(single.content).toMatchObject([{ text: 'one 1, one 2' }]);
    expect(await both(alone)).toMatchObject([{ isError: true }, { isError: true }]);
    expect(dropped).toEqual(['elicitation/create', 'elicitation/create']);
    await inSession.close();
    await alone.close();
  });
});
