/** `elicitation/createMessage` of founding document 003: messages to the user, and a message of the user back. */

import {
  type ConnectOptions,
  createServer,
  type ElicitFormRequest,
  type FormElicitation,
  type PromptMessage,
  type ServerOptions,
  tool,
} from 'tenon';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const question = "I'm about to delete 500 records from the users table. Do you want to proceed? (yes/no)";
type Form = FormElicitation<z.ZodObject>;
const compat = { dialects: ['elicitation-messages'] } as const;
const text = (role: string, said: string) => ({ role, content: { type: 'text', text: said } });

/** As document 003 shows it. */
const elicitation = {
  jsonrpc: '2.0',
  id: 12,
  method: 'elicitation/createMessage',
  params: {
    messages: [text('assistant', question)],
    metadata: { operationType: 'destructive_delete', recordCount: 500 },
  },
};
const answered = { jsonrpc: '2.0', id: 12, result: text('user', 'yes') };

/** A server of document 003, which elicits while a tool runs. Resolves with the client's answer. */
async function askedBy003(options: ConnectOptions): Promise<Json> {
  const { client, send, received } = scriptedAt(
    '2025-06-18',
    { tools: {} },
    ({ method, id }) => {
      if (method !== 'tools/call') return {};
      call = id;
      send(elicitation);
      return undefined;
    },
    options,
  );
  let call: unknown;
  await using opened = await client;
  const running = opened.request('tools/call', { name: 'delete' });
  const reply = await withTimeout(
    (async () => {
      for (;;) {
        const found = received.find(({ id, method }) => id === 12 && method === undefined);
        if (found !== undefined) return found;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })(),
    'the answer of the client',
  );
  send({ jsonrpc: '2.0', id: call, result: { content: [] } });
  await running;
  return reply;
}

describe('A client that gets elicitation/createMessage', () => {
  it('shows its text as a form with one field, and answers with a message of the user [S10]', async () => {
    const shown: ElicitFormRequest[] = [];
    const reply = await askedBy003({
      handlers: {
        elicitForm(form) {
          shown.push(form);
          return { action: 'accept', content: { answer: 'yes' } };
        },
      },
    });
    expect(reply).toEqual(answered);
    expect(shown).toMatchObject([
      {
        message: question,
        messages: elicitation.params.messages,
        requestedSchema: { properties: { answer: { type: 'string' } }, required: ['answer'] },
        metadata: elicitation.params.metadata,
      },
    ]);
  });

  it('answers with an error if the user declines: the document has no other form for that [S10]', async () => {
    const reply = await askedBy003({ handlers: { elicitForm: () => ({ action: 'decline' }) } });
    expect(reply.error).toEqual({ code: -1, message: 'The user did not answer', data: { action: 'decline' } });
  });

  it('does not know the method without a handler for forms [S10, S42]', async () => {
    expect(await askedBy003({})).toMatchObject({ error: { code: -32601 } });
  });
});

const confirmation: Form = {
  message: question,
  schema: z.object({ proceed: z.boolean() }),
  metadata: elicitation.params.metadata,
};

/** A server that elicits one form, on a connection with the dialect. */
const eliciting = (form: Form, options: ServerOptions = { compat }) =>
  createServer(
    {
      name: 's',
      version: '1',
      tools: {
        delete: tool({ inputSchema: z.object({}) }, async (_input, ctx) =>
          JSON.stringify(await ctx.elicit('confirm', form)),
        ),
      },
    },
    options,
  );

/** What the tool got for the user's answer to the only field of the client's form. */
async function gets(form: Form, answer: string, revision = '2025-06-18' as const) {
  const { client, received } = await connectRecorded(eliciting(form), {
    protocolVersions: [revision],
    handlers: { elicitForm: () => ({ action: 'accept', content: { answer } }) },
  });
  const result = client.request('tools/call', { name: 'delete' }).then(
    ({ content }) => JSON.parse((content as [{ text: string }])[0].text),
    (error: unknown) => error,
  );
  const outcome = await result;
  await client.close();
  return { outcome, elicited: received.find(({ method }) => String(method).startsWith('elicitation/')) };
}

describe('A server with the dialect elicitation-messages', () => {
  it('sends a form as a message, and reads the answer as its one field [S10]', async () => {
    const { outcome, elicited } = await gets(confirmation, 'yes');
    expect(elicited).toEqual({ ...elicitation, id: expect.anything() });
    expect(outcome).toEqual({ action: 'accept', content: { proceed: true } });
  });

  it.each([
    ['no', z.boolean(), false],
    ['7', z.number(), 7],
    ['Oslo', z.string(), 'Oslo'],
    ['red', z.enum(['red', 'blue']), 'red'],
  ])('reads the answer %j as the type of the field [S10]', async (answer, field, value) => {
    const { outcome } = await gets({ message: 'Well?', schema: z.object({ field }) }, answer);
    expect(outcome).toEqual({ action: 'accept', content: { field: value } });
  });

  it('names the fields of a form that has several, and reads the answer as JSON [S10]', async () => {
    const schema = z.object({ name: z.string(), age: z.number().optional() });
    const { outcome, elicited } = await gets({ message: 'Who are you?', schema }, '{"name":"Ada","age":36}');
    const message = 'Who are you?\n\nAnswer with a JSON object of "name" (string), "age" (number, optional).';
    expect(elicited).toMatchObject({ params: { messages: [text('assistant', message)] } });
    expect(outcome).toEqual({ action: 'accept', content: { name: 'Ada', age: 36 } });
  });

  it('sends the messages of a form before its own, which a client gets as they are [S10]', async () => {
    const image = { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } } as const;
    const messages = [text('user', 'Delete the old records.') as PromptMessage, image];
    const shown: ElicitFormRequest[] = [];
    const { client, received } = await connectRecorded(eliciting({ ...confirmation, messages }), {
      protocolVersions: ['2025-06-18'],
      handlers: {
        elicitForm(form) {
          shown.push(form);
          return { action: 'accept', content: { answer: 'yes' } };
        },
      },
    });
    await client.request('tools/call', { name: 'delete' });
    const sent = [...messages, text('assistant', question)];
    expect(received.find(({ method }) => method === 'elicitation/createMessage')).toMatchObject({
      params: { messages: sent },
    });
    expect(shown).toMatchObject([{ message: `Delete the old records.\n\n${question}`, messages: sent }]);
    await client.close();
  });

  it('rejects messages that are none, before anything is sent', async () => {
    const messages = ['Delete?'] as unknown as PromptMessage[];
    const errors: unknown[] = [];
    const server = eliciting({ ...confirmation, messages }, { compat, onError: (error) => errors.push(error) });
    const { client, received } = await connectRecorded(server, {
      protocolVersions: ['2025-06-18'],
      handlers: { elicitForm: () => ({ action: 'decline' }) },
    });
    await client.request('tools/call', { name: 'delete' }).catch(() => undefined);
    expect(String(errors[0])).toContain('messages must be a list of { role, content }');
    expect(received.some(({ method }) => method === 'elicitation/createMessage')).toBe(false);
    await client.close();
  });

  it('fails the call if the answer does not fit the form [S10]', async () => {
    const { outcome } = await gets(confirmation, 'maybe');
    expect(outcome).toMatchObject({
      code: -32602,
      message: expect.stringContaining('proceed: expected true or false'),
    });
  });

  it('gets the refusal of the user as the outcome [S10]', async () => {
    const server = eliciting(confirmation);
    for (const action of ['decline', 'cancel'] as const) {
      const { client } = await connectRecorded(server, {
        protocolVersions: ['2025-06-18'],
        handlers: { elicitForm: () => ({ action }) },
      });
      const { content } = await client.request('tools/call', { name: 'delete' });
      expect(content).toMatchObject([{ text: JSON.stringify({ action }) }]);
      await client.close();
    }
  });
});

it('A server without the dialect sends a form as the specification has it, without messages and metadata [S10]', async () => {
  const form = { ...confirmation, messages: [text('user', 'Delete the old records.') as PromptMessage] };
  for (const revision of ['2025-06-18', '2026-07-28'] as const) {
    const { client, received } = await connectRecorded(eliciting(form, {}), {
      protocolVersions: [revision],
      handlers: { elicitForm: () => ({ action: 'accept', content: { proceed: true } }) },
    });
    const { content } = await client.request('tools/call', { name: 'delete' });
    expect(content).toMatchObject([{ text: JSON.stringify({ action: 'accept', content: { proceed: true } }) }]);
    expect(JSON.stringify(received)).toContain('"elicitation/create"');
    expect(JSON.stringify(received)).not.toContain('metadata');
    expect(JSON.stringify(received)).not.toContain('old records');
    await client.close();
  }
});
