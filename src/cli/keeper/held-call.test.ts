/** A held call: the attached command gets what happens; questions wait, and end without an answer. */
import { expect, it } from 'vitest';
import { createDeadlines } from '../../lib/time/deadlines.ts';
import { createFakeClock } from '../../lib/time/fake-clock.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import type { HeldEvent } from '../answers/keeper-messages.ts';
import { HeldCall } from './held-call.ts';

const form = { method: 'elicitation/create', params: { message: 'Where?' } };
const result = { content: [] };

function hold(storing: () => Promise<void> = async () => {}) {
  const clock = createFakeClock();
  const log: string[] = [];
  const held = new HeldCall({
    deadlines: createDeadlines(clock),
    now: () => clock.now(),
    answerMs: 900_000,
    store: async (questions) => {
      await storing();
      log.push(`stored ${questions.map(({ key }) => key)}`);
    },
    forget: async () => void log.push('forgotten'),
    onAbandoned: (reason) => void log.push(reason),
    onFinished: () => void log.push('finished'),
  });
  /** Resolves with the event that detaches. */
  const attach = (): Promise<HeldEvent> =>
    new Promise((resolve) => held.attach((event) => event.kind !== 'output' && resolve(event)));
  return { clock, log, held, attach };
}

const never = new AbortController().signal;

it('a question detaches the command once it is stored, and the next command answers it', async () => {
  const { held, log, attach } = hold();
  const first = attach();
  const asked = held.ask(form, never);
  expect(await first).toMatchObject({ kind: 'asked', questions: [{ key: '1', ...form }], expires: 900_000 });
  expect(log).toEqual(['stored 1']);
  expect(held.answer({ 2: { result: {} } })).toBe('2');
  expect(held.answer({ 1: { result: { action: 'decline' } } })).toBeUndefined();
  const second = attach();
  expect(await asked).toEqual({ result: { action: 'decline' } });
  held.setOutcome({ kind: 'done', result });
  expect(await second).toEqual({ kind: 'done', result });
  expect(log).toEqual(['stored 1', 'forgotten', 'finished']);
});

it('questions that come together are sent together; those left are sent again', async () => {
  const { held, attach } = hold();
  const first = attach();
  void held.ask(form, never);
  void held.ask(form, never);
  expect(await first).toMatchObject({ questions: [{ key: '1' }, { key: '2' }] });
  held.answer({ 2: { result: {} } });
  expect(await attach()).toMatchObject({ questions: [{ key: '1' }] });
});

it('a command that attaches while questions are stored gets those that are still open', async () => {
  const stored = createDeferred<void>();
  const { held, attach } = hold(() => stored.promise);
  const first = attach();
  void held.ask(form, never);
  void held.ask(form, never);
  await new Promise((resolve) => setImmediate(resolve));
  held.answer({ 2: { result: {} } });
  const second = attach();
  stored.resolve();
  expect(await second).toMatchObject({ kind: 'asked', questions: [{ key: '1' }] });
  await expect(Promise.race([first, 'nothing'])).resolves.toBe('nothing');
});

it('a call whose questions are not answered is abandoned after the time to answer', async () => {
  const { held, clock, log, attach } = hold();
  const first = attach();
  void held.ask(form, never);
  await first;
  clock.advance(899_999);
  expect(log).toEqual(['stored 1']);
  clock.advance(1);
  expect(log).toEqual(['stored 1', 'it was not answered in time']);
});

it('a command that goes away abandons the call, unless it waits for answers', async () => {
  const { held, log, attach } = hold();
  const listener = (): void => {};
  held.attach(listener);
  held.detach(() => {});
  expect(log).toEqual([]);
  held.detach(listener);
  expect(log).toEqual(['the command was interrupted']);
  const first = attach();
  void held.ask(form, never);
  await first;
  held.detach(listener);
  expect(log).toEqual(['the command was interrupted', 'stored 1']);
});

it('a question that the server withdraws is not sent, and a result waits for the next command', async () => {
  const { held, log, clock, attach } = hold();
  const first = attach();
  const withdrawn = new AbortController();
  const asked = held.ask(form, withdrawn.signal);
  await first;
  withdrawn.abort(new Error('The server timed out.'));
  await expect(asked).rejects.toThrow('The server timed out.');
  held.setOutcome({ kind: 'done', result });
  expect(log).toEqual(['stored 1']);
  expect(await attach()).toEqual({ kind: 'done', result });
  clock.advance(900_000);
  expect(log).toEqual(['stored 1', 'forgotten', 'finished']);
});
