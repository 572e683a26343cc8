/** What waits for all clients of an endpoint is limited; those that have read nothing for longest are disconnected. */
import { expect, it } from 'vitest';
import type { TenonError } from '../../../lib/errors/tenon-error.ts';
import { createDeadlines } from '../../../lib/time/deadlines.ts';
import { createFakeClock } from '../../../lib/time/fake-clock.ts';
import { type Output, QueuedOutput } from './queued-output.ts';

class Client implements Output {
  waiting = 0;
  accepted = 0;
  isConnected = true;

  read(chars: number): void {
    this.waiting -= chars;
    this.accepted += chars;
  }

  cut(): void {
    this.waiting = 0;
    this.isConnected = false;
  }
}

function start() {
  const clock = createFakeClock();
  const warnings: TenonError[] = [];
  const queued = new QueuedOutput(1000, createDeadlines(clock), (warning) => warnings.push(warning));
  const write = (client: Client, chars: number): void => {
    client.waiting += chars;
    queued.add(client, chars);
  };
  return { clock, warnings, write };
}

const clients = (count: number): Client[] => Array.from({ length: count }, () => new Client());

it('disconnects as many clients as needed, the first to wait first, each with a warning', () => {
  const { warnings, write } = start();
  const all = clients(11);
  for (const client of all) write(client, 100);
  expect(all.map(({ isConnected }) => isConnected)).toEqual([false, false, false, ...clients(8).map(() => true)]);
  expect(warnings).toHaveLength(3);
  expect(warnings[0]).toMatchObject({
    code: 'queue-full',
    hint: expect.stringContaining('limits.maxMemoryBytes'),
    details: { waiting: 100, total: 1100, maxTotalQueuedChars: 1000 },
  });
});

it('spares a client that has waited for long and reads', () => {
  const { clock, write } = start();
  const [slow, stalled, last] = [new Client(), new Client(), new Client()];
  write(slow, 500);
  clock.advance(500);
  write(stalled, 300);
  slow.read(10);
  clock.advance(5000);
  write(last, 300);
  expect([slow, stalled, last].map(({ isConnected }) => isConnected)).toEqual([true, false, true]);
});

it('counts what waits, not what was written', () => {
  const { warnings, write } = start();
  const client = new Client();
  for (let n = 0; n < 100; n++) {
    write(client, 500);
    client.read(500);
  }
  expect(warnings).toEqual([]);
});

it('has no timer when nothing waits', () => {
  const { clock, write } = start();
  const client = new Client();
  write(client, 500);
  expect(clock.pending).toBe(1);
  clock.advance(1000);
  client.read(500);
  clock.advance(1000);
  write(client, 0);
  client.read(0);
  clock.advance(1000);
  expect(clock.pending).toBe(0);
});
