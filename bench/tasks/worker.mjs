/** A process that runs tasks: the first creates one that never ends, the second takes over. It prints what it does. */
import { openBullMq } from './bullmq.mjs';
import { leaseMs } from './lost-workers.mjs';
import { openTenon } from './tenon.mjs';

const [, , subject, address, role] = process.argv;
const onRun = () => {
  console.log('runs');
  return role === 'first' ? new Promise(() => {}) : 'done';
};
const open = subject === 'BullMQ' ? openBullMq : openTenon;
const worker = await open(address, { leaseMs, onRun });
if (role === 'first') await worker.create('empty');
else console.log('ready');
// Waiting for a task keeps no process alive.
setInterval(() => {}, 60_000);
