/** A lock between processes, so that two commands on a fresh clone do not install at the same time. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './command.mjs';

/** Outside `node_modules`, which an installation may remove. */
const lock = inRoot('.tenon/setup.lock');

const pollMs = 100;
const maxWaitMs = 15 * 60_000;

/** Runs `work` while this process holds the lock of the checkout. */
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

/** Returns the process that holds the lock, or `undefined` if this process has acquired it. */
function acquire() {
  const draft = `${lock}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    // A link is atomic: no process reads a lock file without an owner.
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
