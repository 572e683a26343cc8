/** A lock between processes, so that two commands that start at once on a fresh clone do not install over each other. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './command.mjs';

/** Outside `node_modules`, which an installation may remove. */
const lock = inRoot('.tenon/setup.lock');

const pollMs = 100;
const maxWaitMs = 15 * 60_000;

/** Runs `work` while no other process of this checkout runs its own. */
export async function withLock(work) {
  mkdirSync(dirname(lock), { recursive: true });
  const deadline = Date.now() + maxWaitMs;
  for (let owner = acquire(); owner !== undefined; owner = acquire()) {
    if (Date.now() > deadline)
      throw new Error(`setup: process ${owner} has held ${lock} for too long; delete the file`);
    await sleep(pollMs);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Returns the process that holds the lock; `undefined` where this one does now. */
function acquire() {
  const draft = `${lock}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    // A link appears whole: nobody reads a lock file that has no owner yet.
    linkSync(draft, lock);
    return undefined;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return currentOwner();
  } finally {
    rmSync(draft, { force: true });
  }
}

function currentOwner() {
  const owner = read(lock);
  if (owner !== undefined && !isRunning(Number(owner))) releaseFor(owner);
  return owner ?? 'unknown';
}

/** Removes the lock of a process that has ended, unless another process has replaced it meanwhile. */
function releaseFor(owner) {
  const aside = `${lock}.${process.pid}.ended`;
  try {
    renameSync(lock, aside);
    if (read(aside) !== owner) linkSync(aside, lock);
  } catch {
    // Another process was faster.
  }
  rmSync(aside, { force: true });
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
