/** Calls that ask at once: each handler runs once, and each question reaches the client of its call. */
import { describe, expect, it } from 'vitest';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { connect, type ProtocolVersion, serveHttp } from '../../src/node/index.ts';
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
  it('are refused where the platform does not know their call and several are in progress', async () => {
    const ledger = newLedger();
    const dropped: string[] = [];
    const server = await fromOfficialAnywhere(() => create(ledger), {
      onDropped: ({ method }) => dropped.push(method),
    });
    const client = await connect(server as never, {
      protocolVersions: ['2025-11-25'],
      handlers: { elicitForm: ({ message }) => ({ action: 'accept', content: { answer: message } }) },
    });
    const alone = await client.tools.call('ask-twice', { question: 'alone' });
    expect(alone.content).toMatchObject([{ text: 'alone 1, alone 2' }]);
    const both = ['a', 'b'].map((question) => client.tools.call('ask-twice', { question }));
    expect(await Promise.all(both)).toMatchObject([{ isError: true }, { isError: true }]);
    expect(dropped).toEqual(['elicitation/create', 'elicitation/create']);
    await client.close();
  });
});
